/* SPDX-License-Identifier: Apache-2.0
 *
 * What ptxas said on standard error.
 */
#include "ptxas_said.h"

#include <stdlib.h>
#include <string.h>

#include "file_bytes.h"
#include "notes_out.h"
#include "printable.h"
#include "ptx_where.h"
#include "tma/tma.h"

#define MOST_FILE_B (UINT64_C(1) << 30)

void ptxas_pass_on(FILE *said) {
    char text[4096];
    size_t size = 0;
    rewind(said);
    while ((size = fread(text, 1, sizeof(text), said)) > 0) {
        fwrite(text, 1, size, stderr);
    }
}

/* What stands behind a word, or null. */
static const char *after(const char *text, const char *word) {
    const char *at = strstr(text, word);
    return at ? at + strlen(word) : NULL;
}

/* "ptxas FILE, line N; error   : TEXT": the kernel and the source line of line N of that file. */
static void note_where(FILE *notes, char *const *file, int files, const char *line) {
    const char *digits = after(line, ", line ");
    uint32_t number = 0;
    if (!digits ||
        tma_read_u32(&number, digits, strspn(digits, "0123456789"), UINT32_MAX, "line", NULL)) {
        return;
    }
    for (int i = 0; i < files; i++) {
        file_bytes bytes = {NULL, 0};
        tma_error error;
        char where[512] = "";
        if (strstr(line, file[i]) && !file_read(file[i], MOST_FILE_B, &bytes, &error)) {
            (void)ptx_where(where, sizeof(where), (const char *)bytes.at, bytes.size, number);
            notes_put(notes, " (line %u%s%s)", (unsigned)number, *where ? ", " : "",
                      printable_text(where).text);
            free(bytes.at);
            return;
        }
    }
}

void ptxas_note_error(FILE *notes, char *const *file, int files, FILE *said) {
    char line[1024];
    rewind(said);
    while (fgets(line, sizeof(line), said)) {
        if (strstr(line, "error") || strstr(line, "fatal")) {
            line[strcspn(line, "\n")] = 0;
            const char *text = after(line, "; error");
            text = text ? after(text, ": ") : NULL;
            notes_put(notes, ": with them it says: %s", printable_text(text ? text : line).text);
            note_where(notes, file, files, line);
            return;
        }
    }
}
