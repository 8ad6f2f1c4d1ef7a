/* SPDX-License-Identifier: Apache-2.0
 *
 * Command lines, each read in a child process: what callbacks are told, what is printed, the exit
 * status. Where the C library has argp, whose manners these are, random parsers answer random
 * command lines as it does.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "args.h"
#ifdef TMA_HAS_ARGP
#include "support/args_oracle.h"
#endif

#define MOST_B     16384
#define MOST_WORDS 16

typedef struct answer {
    int status;
    char text[MOST_B]; /* standard output and error */
} answer;

typedef void (*run_line)(int argc, char **argv);

/* What a child prints that runs a command line. */
static void ask(answer *got, run_line run, int argc, char **argv) {
    FILE *file = tmpfile();
    int status = 0;
    assert_non_null(file);
    fflush(NULL);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        dup2(fileno(file), STDOUT_FILENO);
        dup2(fileno(file), STDERR_FILENO);
        setvbuf(stdout, NULL, _IONBF, 0);
        run(argc, argv);
        exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    got->status = WEXITSTATUS(status);
    rewind(file);
    const size_t size = fread(got->text, 1, MOST_B - 1, file);
    assert_true(size < MOST_B - 1);
    got->text[size] = '\0';
    fclose(file);
}

/* A parser with one inside, which tells what it is told. */
enum { KEY_FAST = 0x100, KEY_SLOW, KEY_SLOWER };

typedef struct outer_input {
    int quiet;
    const char *word;
    char inner[6]; /* of the parser inside */
} outer_input;

static int inner(int key, char *value, args_state *state) {
    switch (key) {
    case ARGS_KEY_INIT:
        assert_string_equal(state->input, "inner");
        printf("inner begins\n");
        return ARGS_TAKEN;
    case KEY_SLOW:
        printf("slow %s\n", value ? value : "by itself");
        return ARGS_TAKEN;
    case KEY_SLOWER:
        printf("slower\n");
        return ARGS_TAKEN;
    case ARGS_KEY_END:
        printf("inner ends\n");
        return ARGS_TAKEN;
    default:
        return ARGS_UNKNOWN;
    }
}

static int outer(int key, char *value, args_state *state) {
    switch (key) {
    case ARGS_KEY_INIT:
        printf("outer begins\n");
        return ARGS_TAKEN;
    case 'o':
    case 'n':
    case KEY_FAST:
        printf("%s %s\n", key == 'o' ? "out" : key == 'n' ? "name" : "fast", value ? value : "");
        return ARGS_TAKEN;
    case 'h':
        printf("hidden\n");
        return ARGS_TAKEN;
    case ARGS_KEY_ARG:
        printf("argument %s\n", value);
        if (strcmp(value, "bad") == 0) {
            args_error(state, "'%s' is bad", value);
        }
        return ARGS_TAKEN;
    case ARGS_KEY_NO_ARGS:
        printf("no argument\n");
        return ARGS_TAKEN;
    case ARGS_KEY_END:
        printf("outer ends\n");
        return ARGS_TAKEN;
    default:
        return ARGS_UNKNOWN;
    }
}

static const args_option inner_options[] = {
    {0, 0, 0, 0, "How fast:", 0},
    {"slower", KEY_SLOWER, 0, 0, "not fast at all", 0},
    {"slow", KEY_SLOW, "HOW", ARGS_VALUE_OPTIONAL, "not fast", 0},
    {0},
};
static const args_parser inner_parser = {inner_options, inner, 0, 0, 0, 0};
static const args_child children[] = {{&inner_parser, 0, 10, ARGS_AT(outer_input, inner)}, {0}};
static const args_option outer_options[] = {
    {"out", 'o', "FILE", 0,
     "where it goes, which is said at such length here that the line has to be broken", 0},
    {0, 'n', 0, 0, "has no long name", 0},
    {"fast", KEY_FAST, 0, 0, "fast", 0},
    {"hidden", 'h', 0, ARGS_HIDDEN, "not shown", 0},
    {"quiet", ARGS_AT(outer_input, quiet), 0, ARGS_HIDDEN | ARGS_SETS, "not shown", 0},
    {"word", ARGS_AT(outer_input, word), "WORD", ARGS_HIDDEN | ARGS_KEEPS | ARGS_VALUE_OPTIONAL,
     "not shown", 0},
    {0},
};
static const args_parser outer_parser = {
    outer_options, outer, "ONE\nTWO...", "What it does.\vWhat else is said.", children, 0};

static void run_outer(int argc, char **argv) {
    outer_input input = {0, NULL, "inner"};
    args_version = "test 1";
    args_parse(&outer_parser, argc, argv, ARGS_ANY_ORDER, &input);
    if (input.quiet || input.word) {
        printf("quiet %d word %s\n", input.quiet, input.word ? input.word : "none");
    }
}

static void run_as_given(int argc, char **argv) {
    outer_input input = {0, NULL, "inner"};
    args_parse(&outer_parser, argc, argv, ARGS_AS_GIVEN, &input);
}

/* Two parsers of one group, one inside the first: of a group the last stands first. */
static const args_option fish_options[] = {{"fish", 'f', 0, 0, "swims", 0}, {0}};
static const args_parser fish_parser = {fish_options, inner, 0, 0, 0, 0};
static const args_option bird_options[] = {{"bird", 'b', 0, 0, "flies", 0}, {0}};
static const args_child bird_children[] = {{&fish_parser, "Under water:", 4, 0}, {0}};
static const args_parser bird_parser = {bird_options, inner, 0, 0, bird_children, 0};
static const args_option cat_options[] = {{"cat", 'c', 0, 0, "walks", 0}, {0}};
static const args_parser cat_parser = {cat_options, inner, 0, 0, 0, 0};
static const args_option animal_options[] = {{"animal", 'a', 0, 0, "any", 0}, {0}};
static const args_child animal_children[] = {
    {&bird_parser, "In the air:", 3, 0}, {&cat_parser, "On land:", 3, 0}, {0}};
static const args_parser animal_parser = {animal_options, inner, 0, 0, animal_children, 0};

static void run_animals(int argc, char **argv) {
    args_parse(&animal_parser, argc, argv, ARGS_ANY_ORDER, "inner");
}

static answer got;

#define ASK(run, ...)                                                                              \
    do {                                                                                           \
        char *words[] = {"prog", __VA_ARGS__, NULL};                                               \
        ask(&got, run, (int)(sizeof(words) / sizeof(words[0])) - 1, words);                        \
    } while (0)

#define BEGINS "outer begins\ninner begins\n"
#define ENDS   "inner ends\nouter ends\n"
#define TRY    "Try `prog --help' or `prog --usage' for more information.\n"

static void expect(int status, const char *text) {
    assert_string_equal(got.text, text);
    assert_int_equal(got.status, status);
}

static void test_options_come_before_arguments(void **state) {
    (void)state;
    ASK(run_outer, "a", "--fast", "b", "-o", "x", "c", "-ny", "--", "--fast", "-");
    assert_int_equal(got.status, 2); /* -y */
    ASK(run_outer, "a", "--fast", "b", "-o", "x", "-", "-n", "--", "--fast", "c");
    expect(0, BEGINS "fast \nout x\nname \nargument a\nargument b\nargument -\nargument --fast\n"
                     "argument c\n" ENDS);
    ASK(run_as_given, "a", "--fast", "b", "-oy", "--", "-n");
    expect(0, BEGINS "argument a\nfast \nargument b\nout y\nargument -n\n" ENDS);
}

static void test_values(void **state) {
    (void)state;
    ASK(run_outer, "--out=x", "--out", "--fast", "-no-n", "--slow", "--slow=", "--slow=3",
        "--out=");
    expect(0, BEGINS "out x\nout --fast\nname \nout -n\nslow by itself\nslow \nslow 3\nout \n"
                     "no argument\n" ENDS);
}

static void test_options_without_a_callback(void **state) {
    (void)state;
    ASK(run_outer, "--quiet");
    expect(0, BEGINS "no argument\n" ENDS "quiet 1 word none\n");
    ASK(run_outer, "--word=x", "--word=y");
    expect(0, BEGINS "no argument\n" ENDS "quiet 0 word y\n");
    ASK(run_outer, "--word", "--quiet");
    expect(0, BEGINS "no argument\n" ENDS "quiet 1 word \n");
    ASK(run_outer, "--quiet=1");
    expect(2, BEGINS "prog: option '--quiet' doesn't allow an argument\n" TRY);
}

static void test_names_cut_short(void **state) {
    (void)state;
    ASK(run_outer, "--fa", "--ou=1", "--slow", "--slowe");
    expect(0, BEGINS "fast \nout 1\nslow by itself\nslower\nno argument\n" ENDS);
    ASK(run_outer, "--sl=4");
    expect(2,
           BEGINS "prog: option '--sl=4' is ambiguous; possibilities: '--slower' '--slow'\n" TRY);
}

static void test_misuse(void **state) {
    (void)state;
    ASK(run_outer, "--no");
    expect(2, BEGINS "prog: unrecognized option '--no'\n" TRY);
    ASK(run_outer, "-x");
    expect(2, BEGINS "prog: invalid option -- 'x'\n" TRY);
    ASK(run_outer, "--fas=1");
    expect(2, BEGINS "prog: option '--fast' doesn't allow an argument\n" TRY);
    ASK(run_outer, "--out");
    expect(2, BEGINS "prog: option '--out' requires an argument\n" TRY);
    ASK(run_outer, "-o");
    expect(2, BEGINS "prog: option requires an argument -- 'o'\n" TRY);
    ASK(run_outer, "bad", "-n");
    expect(2, BEGINS "name \nargument bad\nprog: 'bad' is bad\n" TRY);
    ASK(run_outer, "--x\x1b[2J\xc2\x9b\xff\xe2\x82\xc3\xa9\x7f");
    expect(2, BEGINS "prog: unrecognized option "
                     "'--x\\x1b[2J\\xc2\\x9b\\xff\\xe2\\x82\xc3\xa9\\x7f'\n" TRY);
    ASK(run_outer,
        "--x\x80 \x81~\xc1\xbf\x1f\xc2\xa0\xc2\x9f\xc3\x80\xe0\xa0\x80\xdf\xbf\xef\xbf\xbf"
        "\xf0\x90\x80\x80\xf4\x8f\xbf\xbf\xf5\x80\x80\x80\xe2\x82\xc0\xc3");
    expect(2, BEGINS "prog: unrecognized option "
                     "'--x\\x80 \\x81~\\xc1\\xbf\\x1f\xc2\xa0\\xc2\\x9f\xc3\x80\xe0\xa0\x80\xdf\xbf"
                     "\xef\xbf\xbf\xf0\x90\x80\x80\xf4\x8f\xbf\xbf\\xf5\\x80\\x80\\x80"
                     "\\xe2\\x82\\xc0\\xc3'\n" TRY);
}

static void test_h_is_help(void **state) {
    (void)state;
    char text[sizeof(got.text)];
    ASK(run_animals, "--help");
    memcpy(text, got.text, sizeof(text));
    ASK(run_animals, "-h");
    expect(0, text);
    ASK(run_outer, "-h"); /* which is its own */
    expect(0, BEGINS "hidden\nno argument\n" ENDS);
}

static void test_help(void **state) {
    (void)state;
    ASK(run_outer, "-n?");
    expect(0,
           BEGINS "name \n"
                  "Usage: prog [OPTION...] ONE\n"
                  "  or:  prog [OPTION...] TWO...\n"
                  "What it does.\n"
                  "\n"
                  "      --fast                 fast\n"
                  "  -n                         has no long name\n"
                  "  -o, --out=FILE             where it goes, which is said at such length here\n"
                  "                             that the line has to be broken\n"
                  "\n"
                  " How fast:\n"
                  "      --slow[=HOW]           not fast\n"
                  "      --slower               not fast at all\n"
                  "\n"
                  "  -?, --help                 Give this help list\n"
                  "      --usage                Give a short usage message\n"
                  "  -V, --version              Print program version\n"
                  "\n"
                  "Mandatory or optional arguments to long options are also mandatory or optional\n"
                  "for any corresponding short options.\n"
                  "\n"
                  "What else is said.\n");
    ASK(run_outer, "--usage");
    expect(0,
           BEGINS "Usage: prog [-n?V] [-o FILE] [--fast] [--out=FILE] [--slow[=HOW]] [--slower]\n"
                  "            [--help] [--usage] [--version] ONE\n"
                  "  or:  prog [OPTION...] TWO...\n");
    ASK(run_outer, "--version", "--no");
    expect(0, BEGINS "test 1\n");
    ASK(run_as_given, "--version");
    expect(2, BEGINS "prog: unrecognized option '--version'\n" TRY);
}

static void test_sets_of_one_group(void **state) {
    (void)state;
    ASK(run_animals, "--help");
    const char *const sets = strstr(got.text, "  -a,");
    assert_non_null(sets);
    assert_int_equal(got.status, 0);
    assert_string_equal(sets, "  -a, --animal               any\n"
                              "\n"
                              " On land:\n"
                              "  -c, --cat                  walks\n"
                              "\n"
                              " In the air:\n"
                              "  -b, --bird                 flies\n"
                              "\n"
                              " Under water:\n"
                              "  -f, --fish                 swims\n"
                              "\n"
                              "  -?, --help                 Give this help list\n"
                              "      --usage                Give a short usage message\n");
}

#ifdef TMA_HAS_ARGP
static void test_random_lines(void **state) {
    static answer own, argps;
#ifdef TMA_TEST_EMULATED
    const uint64_t count = 300; /* each starts two children, which an emulator translates anew */
    const uint64_t most_apart = 10;
#else
    const uint64_t count = 1500, most_apart = 33; /* glibc 2.36's argp: 32 */
#endif
    uint64_t apart = 0, misuses = 0, helps = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= count; seed++) {
        char *words[ARGS_ORACLE_WORDS + 1];
        char *again[ARGS_ORACLE_WORDS + 1];
        const int argc = args_oracle_make(seed, words);
        memcpy(again, words, sizeof(words));
        ask(&own, args_oracle_own, argc, words);
        ask(&argps, args_oracle_argp, argc, again);
        misuses += own.status != 0;
        const int helps_now = strstr(argps.text, "Usage: ") != NULL;
        const int same = strcmp(own.text, argps.text) == 0;
        const int is_h = strstr(argps.text, "invalid option -- 'h'") != NULL; /* argp has no -h */
        helps += helps_now;
        apart +=
            helps_now && !same; /* argp's buffer ends somewhere, and then it misplaces blanks */
        if (is_h && strstr(own.text, "Usage: ")) {
            continue;
        }
        if ((!same && !(helps_now && args_oracle_same_words(own.text, argps.text))) ||
            own.status != argps.status) {
            print_message("seed %llu:", (unsigned long long)seed);
            for (int i = 0; i < argc; i++) {
                print_message(" %s", words[i]);
            }
            print_message("\n== args %d\n%s== argp %d\n%s", own.status, own.text, argps.status,
                          argps.text);
            fail();
        }
    }
    print_message("%llu of %llu help texts differ in blanks\n", (unsigned long long)apart,
                  (unsigned long long)helps);
    assert_true(apart <= most_apart);
    assert_true(misuses > count / 10 && helps > count / 10);
}
#endif

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_options_come_before_arguments),
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_options_without_a_callback),
        cmocka_unit_test(test_names_cut_short),
        cmocka_unit_test(test_misuse),
        cmocka_unit_test(test_help),
        cmocka_unit_test(test_h_is_help),
        cmocka_unit_test(test_sets_of_one_group),
#ifdef TMA_HAS_ARGP
        cmocka_unit_test(test_random_lines),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
