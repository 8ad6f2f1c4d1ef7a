/* SPDX-License-Identifier: Apache-2.0
 *
 * A fuzzer's regression test without libFuzzer: runs it on every file of the folders given.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define INPUT_BYTES (1 << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replay(const char *path) {
    static uint8_t data[INPUT_BYTES];
    FILE *file = fopen(path, "rb");
    if (!file) {
        fprintf(stderr, "cannot open %s\n", path);
        return 1;
    }
    const size_t size = fread(data, 1, sizeof(data), file);
    fclose(file);
    LLVMFuzzerTestOneInput(data, size);
    return 0;
}

static int replay_folder(const char *folder, unsigned *count) {
    char path[4096];
    int failed = 0;
    DIR *all = opendir(folder);
    if (!all) {
        fprintf(stderr, "cannot open %s\n", folder);
        return 1;
    }
    for (const struct dirent *one = readdir(all); one; one = readdir(all)) {
        if (one->d_name[0] != '.') {
            snprintf(path, sizeof(path), "%s/%s", folder, one->d_name);
            failed |= replay(path);
            ++*count;
        }
    }
    closedir(all);
    return failed;
}

int main(int count, char **folders) {
    unsigned inputs = 0;
    int failed = 0;
    for (int i = 1; i < count; i++) {
        failed |= replay_folder(folders[i], &inputs);
    }
    printf("%u inputs\n", inputs);
    return failed || inputs == 0;
}
