# SPDX-License-Identifier: Apache-2.0
#
# Sourced by format.sh and tidy.sh: `clang_tool NAME` sets `tool` to clang-NAME of version 14, whose
# form and judgement are Debian 12's, or ends the script: 77 where there is another version alone.
clang_tool() {
    local version
    tool=$(command -v "clang-$1-14" || command -v "clang-$1") || {
        echo "$1.sh: no clang-$1; apt-get install clang-$1" >&2
        exit 1
    }
    version=$("$tool" --version | tr -s ' \n' ' ')
    if [[ $version != *'version 14.'* ]]; then
        echo "$1.sh: ${version}is not version 14" >&2
        exit 77
    fi
}
