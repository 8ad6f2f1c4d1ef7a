/* SPDX-License-Identifier: Apache-2.0
 *
 * Files that only their user reads: what is appended goes into the one that was made, or nowhere.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/testing.h"
#include "write_out.h"

static void test_a_file_that_is_taken_away(void **state) {
    char folder[] = "/tmp/tma-private-XXXXXX";
    char path[64], other[64], text[16] = "";
    struct stat about;
    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof(path), "%s/a", folder);
    snprintf(other, sizeof(other), "%s/b", folder);
    assert_int_equal(create_private(path), 0);
    assert_int_equal(create_private(path), EEXIST);
    assert_int_equal(append_private(path, "one", 3), 0);
    assert_int_equal(append_private(path, "two", 3), 0);
    assert_int_equal(stat(path, &about), 0);
    assert_int_equal(about.st_mode & 0777, 0600);
    assert_int_equal(rename(path, other), 0);
    assert_int_equal(append_private(path, "three", 5), ENOENT);
    assert_int_equal(access(path, F_OK), -1);
    assert_int_equal(symlink(other, path), 0);
    assert_int_equal(append_private(path, "four", 4), ELOOP);
    FILE *file = fopen(other, "r");
    assert_non_null(file);
    assert_int_equal(fread(text, 1, sizeof(text), file), 6);
    fclose(file);
    assert_string_equal(text, "onetwo");
    unlink(path);
    unlink(other);
    rmdir(folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_file_that_is_taken_away),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
