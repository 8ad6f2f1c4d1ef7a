/* SPDX-License-Identifier: Apache-2.0
 *
 * A kernel's parameters by their names, and the values that they have so far.
 */
#include "run_session.h"
#include "tma/detail/chars.h"
#include "tma/grammar.h"

uint32_t session_parameter(const session *s, const char *name, size_t length, tma_error *error) {
    uint32_t number = 0;
    for (uint32_t i = 0; i < s->parameters; i++) {
        const tma_emulate_parameter *p = &s->parameter[i];
        if (p->name_length == length && text_equal(p->name, name, length)) {
            return i;
        }
    }
    if (length && text_is_digit(name[0])) {
        if (tma_read_u32(&number, name, length, UINT32_MAX, "a parameter's number", error)) {
            return UINT32_MAX;
        }
        if (number < s->parameters) {
            return number;
        }
        tma_fail(error, "no parameter %u: %s has %u, counted from 0", number, s->kernel,
                 s->parameters);
        return UINT32_MAX;
    }
    tma_fail(error, "%.*s: no parameter of %s", text_shown(length), name, s->kernel);
    for (uint32_t i = 0; i < s->parameters; i++) {
        tma_fail_more(error, "%s %.*s", i ? "," : ", which has", (int)s->parameter[i].name_length,
                      s->parameter[i].name);
    }
    return UINT32_MAX;
}

int session_lacks(const session *s, const char *text) {
    tma_place_words place;
    tma_error unused;
    const size_t end = text_until(text, text_length(text), '=');
    const int is_place = tma_read_place(&place, text, "NAME+OFFSET", &unused);
    if (is_place < 0 || !text[end]) {
        return 0;
    }
    const char *const alias = text + end + 1 + (text[end + 1] == '@');
    const size_t length = text[end + 1] == '@' ? text_until(alias, text_length(alias), '+') : 0;
    return (is_place ? session_parameter(s, place.name, place.name_length, &unused)
                     : session_parameter(s, text, end, &unused)) == UINT32_MAX ||
           (length && session_parameter(s, alias, length, &unused) == UINT32_MAX);
}

const char *session_place(const session *s, const char *text, const char *option,
                          uint32_t *parameter, uint32_t *offset_B, tma_error *error) {
    tma_place_words place;
    const size_t end = text_until(text, text_length(text), '=');
    const int is_place = tma_read_place(&place, text, "NAME+OFFSET", error);
    if (is_place < 0) {
        return NULL;
    }
    if (!text[end]) {
        tma_fail(error, "--%s %.*s: NAME=VALUE is expected, or 0=VALUE for the first parameter",
                 option, text_shown(end), text);
        return NULL;
    }
    *offset_B = place.offset_B;
    *parameter = is_place ? session_parameter(s, place.name, place.name_length, error)
                          : session_parameter(s, text, end, error);
    if (*parameter == UINT32_MAX) {
        const tma_error why = *error;
        tma_fail(error, "--%s %.80s: %s", option, text, why.text);
        return NULL;
    }
    return place.rest;
}

int session_has(const session *s, uint32_t parameter, uint32_t offset_B, uint32_t size_B) {
    for (uint32_t i = 0; i < s->values; i++) {
        const session_value *v = &s->value[i];
        if (v->parameter == parameter && v->offset_B < offset_B + size_B &&
            offset_B < v->offset_B + v->size_B) {
            return 1;
        }
    }
    return 0;
}

session_value *session_add_value(session *s, uint32_t parameter, uint32_t offset_B, uint32_t size_B,
                                 tma_error *error) {
    const tma_emulate_parameter *p = &s->parameter[parameter];
    const int length = (int)p->name_length;
    if (offset_B > p->size_B || size_B > p->size_B - offset_B) {
        tma_fail(error, "%.*s+%u: %u byte%s %s not fit, the parameter has %u", length, p->name,
                 offset_B, size_B, text_plural(size_B), size_B == 1 ? "does" : "do", p->size_B);
        return NULL;
    }
    if (session_has(s, parameter, offset_B, size_B)) {
        tma_fail(error, "%.*s+%u: given twice", length, p->name, offset_B);
        return NULL;
    }
    if (s->values == SESSION_MOST_VALUES) {
        tma_fail(error, "more than %d values of parameters", SESSION_MOST_VALUES);
        return NULL;
    }
    session_value *v = &s->value[s->values++];
    *v = (session_value){.parameter = parameter,
                         .offset_B = offset_B,
                         .size_B = size_B,
                         .buffer = UINT32_MAX,
                         .holder = UINT32_MAX};
    return v;
}
