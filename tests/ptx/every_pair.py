# SPDX-License-Identifier: Apache-2.0
"""All pairs of the modules protocol_*_pairs.py: name -> (source, rule, kernel), and what
`tma ptx` finds in a kernel."""

import json
import os
import subprocess

import protocol_cluster_pairs
import protocol_early_pairs
import protocol_form_pairs
import protocol_group_pairs
import protocol_map_pairs
import protocol_operand_pairs
import protocol_pairs
import protocol_peer_pairs
import protocol_phase_pairs
import protocol_played_pairs
import protocol_reader_pairs
import protocol_ring_pairs
import protocol_stranger_pairs
import protocol_thread_pairs
import protocol_token_pairs
import protocol_turn_pairs
import protocol_unrolled_pairs

ALL = protocol_pairs.PAIRS | protocol_ring_pairs.PAIRS | protocol_thread_pairs.PAIRS | protocol_phase_pairs.PAIRS
ALL |= protocol_peer_pairs.PAIRS | protocol_turn_pairs.PAIRS | protocol_early_pairs.PAIRS
ALL |= protocol_group_pairs.PAIRS | protocol_operand_pairs.PAIRS | protocol_reader_pairs.PAIRS
ALL |= protocol_map_pairs.PAIRS | protocol_cluster_pairs.PAIRS | protocol_stranger_pairs.PAIRS
ALL |= protocol_played_pairs.PAIRS | protocol_form_pairs.PAIRS
ALL |= protocol_unrolled_pairs.PAIRS | protocol_token_pairs.PAIRS


def findings(text):
    run = subprocess.run([os.environ["TMA"], "ptx", "--json", "-"], input=text, capture_output=True, text=True, check=False)
    assert run.returncode in (0, 1), run.stderr
    answer = json.loads(run.stdout)
    of_copies = [{"line": i["line"]} | f for i in answer["instructions"] for f in i["findings"]]
    return of_copies + answer["findings"]
