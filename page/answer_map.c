/* SPDX-License-Identifier: Apache-2.0
 *
 * The 128 bytes that the page shows: their fields, and what is odd about them.
 */
#include "answer.h"
#include "tma/view.h"

static void field(tma_json *json, const tma_field_row *row, const tma_judged *judged) {
    tma_json_object(json, NULL);
    tma_json_text(json, "name", row->name);
    tma_json_u64(json, "word_index", row->word);
    tma_json_u64(json, "bit", row->bit);
    tma_json_u64(json, "width_bit", row->width_bit);
    tma_out bits = tma_json_text_out(json, "bits");
    tma_put_field_bits(&bits, row);
    tma_json_text_end(json);
    tma_out value = tma_json_text_out(json, "says");
    tma_put_field(&value, row, &judged->decoded, judged->map.bytes);
    tma_json_text_end(json);
    tma_json_text(json, "meaning", row->meaning);
    tma_json_text(json, "evidence", row->evidence);
    tma_json_end(json);
}

void page_answer_map(tma_json *json, const ask_text *request) {
    static tma_judged judged;
    tma_judge(&judged, request->asked.encoded.bytes, &request->asked.map.target);
    tma_json_map(json, "map", request->asked.encoded.bytes);
    tma_json_list(json, "fields");
    for (size_t i = 0; i < tma_field_count(); i++) {
        const tma_field_row *row = tma_field_at(i);
        if (tma_field_is_shown(row, &judged.decoded, request->asked.encoded.bytes)) {
            field(json, row, &judged);
        }
    }
    tma_json_end(json);
    tma_json_list(json, "odd");
    for (size_t i = 0; i < judged.count; i++) {
        tma_json_object(json, NULL);
        tma_json_text(json, "name", judged.odd[i].name);
        tma_json_text(json, "text", judged.odd[i].text);
        tma_json_end(json);
    }
    tma_json_end(json);
}
