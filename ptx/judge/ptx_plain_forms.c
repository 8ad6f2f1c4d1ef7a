/* SPDX-License-Identifier: Apache-2.0
 *
 * Instructions around copies that the file's .target or .version does not have.
 */
#include "ptx_sites.h"

typedef struct plain_form {
    const char *begins, *qualifier, *name;
    uint32_t version; /* of PTX: 95 is 9.5 */
    uint32_t sm;      /* lowest */
} plain_form;

static const plain_form forms[] = {
#define PLAIN_FORM(begins, qualifier, name, version, sm, example, evidence)                        \
    {begins, qualifier, name, version, sm},
#include "ptx_plain_forms.def"
};

/* The first row that fits: a longer one stands before its beginning. */
static const plain_form *form_of(tma_ptx_span opcode) {
    for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
        const plain_form *f = &forms[i];
        if (ptx_begins(opcode, f->begins) &&
            (!*f->qualifier || ptx_opcode_has(opcode, f->qualifier))) {
            return f;
        }
    }
    return NULL;
}

static void judge_row(ptx_report *r, uint32_t row, const plain_form *f) {
    const ptx_module *m = ptx_module_of(r, row);
    const tma_target *target = ptx_target_of(r, row);
    if (target && target->sm < f->sm) {
        ptx_break(r, PTX_NONE, row, PTX_RULE_TARGET, "%s: %s has it not, it takes sm_%u and newer",
                  f->name, tma_arch_of(target) ? tma_arch_of(target)->name : "the target", f->sm);
    } else if (m->version && m->version < f->version) {
        ptx_break(r, PTX_NONE, row, PTX_RULE_VERSION,
                  "%s: PTX %u.%u has it, the file says .version %u.%u", f->name, f->version / 10,
                  f->version % 10, m->version / 10, m->version % 10);
    }
}

void ptx_plain_forms(ptx_report *r) {
    for (uint32_t name = 0; name < r->codes.opcodes; name++) {
        const plain_form *f = form_of(r->codes.opcode[name]);
        for (uint32_t row = 0; f && row < r->rows.rows; row++) {
            if (r->codes.code[row].name == name) {
                judge_row(r, row, f);
            }
        }
    }
}
