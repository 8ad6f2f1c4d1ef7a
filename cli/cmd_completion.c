/* SPDX-License-Identifier: Apache-2.0
 *
 * tma completion: scripts for shells. Verbs stand in them; the options of a verb are asked of the
 * command, which prints its tables (--_options), when they are wanted.
 */
#include <stdio.h>
#include <string.h>

#include "args.h"
#include "options.h"
#include "printable.h"
#include "verbs.h"

typedef struct shell {
    const char *name;
    const char *before, *verb, *behind; /* of the verbs: a printf format with name and summary */
} shell;

static const shell shells[] = {
    {"bash",
     "_tma() {\n"
     "    local cur=${COMP_WORDS[COMP_CWORD]} verb= i verbs=\"help version",
     " %s",
     "\"\n"
     "    [[ $cur == = ]] && cur=\n"
     "    for ((i = 1; i < COMP_CWORD; i++)); do\n"
     "        if [[ ${COMP_WORDS[i]} != -* && ${COMP_WORDS[i]} != help ]]; then\n"
     "            verb=${COMP_WORDS[i]}\n"
     "            break\n"
     "        fi\n"
     "    done\n"
     "    if [[ -z $verb ]]; then\n"
     "        COMPREPLY=($(compgen -W \"$verbs --help --usage --version\" -- \"$cur\"))\n"
     "    elif [[ $cur == -* ]]; then\n"
     "        COMPREPLY=($(compgen -W \"$(\"${COMP_WORDS[0]}\" \"$verb\" --_options 2>/dev/null |\n"
     "            cut -f1)\" -- \"$cur\"))\n"
     "        [[ ${COMPREPLY-} == *= ]] && compopt -o nospace\n"
     "    fi\n"
     "}\n"
     "complete -o default -F _tma tma\n"},
    {"zsh",
     "#compdef tma\n"
     "_tma() {\n"
     "    local -a verbs options\n"
     "    verbs=(\n"
     "        'help:the help of a verb'\n"
     "        'version:the version'\n",
     "        '%s:%s'\n",
     "    )\n"
     "    if (( CURRENT == 2 )) || [[ $words[2] == help && $CURRENT == 3 ]]; then\n"
     "        _describe verb verbs\n"
     "    elif [[ $words[CURRENT] == -* ]]; then\n"
     "        options=(${(f)\"$($words[1] $words[2] --_options 2>/dev/null |\n"
     "            sed -e 's/:/\\\\:/g' -e $'s/\\t/:/')\"})\n"
     "        _describe -o option options -S ''\n"
     "    else\n"
     "        _files\n"
     "    fi\n"
     "}\n"
     "compdef _tma tma\n"},
    {"fish",
     "function __tma_options\n"
     "    set -l words (commandline -opc)\n"
     "    $words[1] $words[2] --_options 2>/dev/null\n"
     "end\n"
     "complete -c tma -n '__fish_is_nth_token 1' -f -a help -d 'the help of a verb'\n"
     "complete -c tma -n '__fish_is_nth_token 1' -f -a version -d 'the version'\n",
     "complete -c tma -n '__fish_is_nth_token 1; or __fish_seen_subcommand_from help' -f -a %s -d "
     "'%s'\n",
     "complete -c tma -n 'not __fish_is_nth_token 1; and string match -q -- \"-*\" (commandline "
     "-ct)' -f "
     "-a '(__tma_options)'\n"},
};

#define SHELLS (sizeof(shells) / sizeof(shells[0]))

static const struct {
    char name[16];
    const char *summary;
} verbs[] = {
#define VERB(name, summary) {#name, summary},
    CLI_VERBS(VERB)
#undef VERB
};

static const char *shell_name(size_t i) {
    return i < SHELLS ? shells[i].name : NULL;
}

/* In quotes of a shell: ' ends them. */
static void put_quoted(const char *text) {
    for (; *text; text++) {
        fputs(*text == '\'' ? "'\\''" : (const char[]){*text, 0}, stdout);
    }
}

/* The format's first %s is the name, with - for _, its second the summary. */
static void put_verb(const char *format, const char *name, const char *summary) {
    int count = 0;
    for (const char *c = format; *c; c++) {
        if (c[0] == '%' && c[1] == 's') {
            for (const char *n = name; !count && *n; n++) {
                putchar(*n == '_' ? '-' : *n);
            }
            put_quoted(count++ ? summary : "");
            c++;
        } else {
            putchar(*c);
        }
    }
}

static int parse(int key, char *text, args_state *state) {
    size_t *chosen = state->input;
    tma_error error;
    switch (key) {
    case ARGS_KEY_ARG:
        option_check(tma_read_name(chosen, text, "shell", shell_name, &error), state, &error);
        return 0;
    case ARGS_KEY_NO_ARGS:
        args_error(state, "which shell: bash, zsh or fish");
        return 0;
    default:
        return ARGS_UNKNOWN;
    }
}

static const args_parser parser = {
    0,
    parse,
    "SHELL",
    "Prints a script that has bash, zsh or fish complete verbs, options and files of tma.\v"
    "bash: eval \"$(tma completion bash)\" in ~/.bashrc, or a file in "
    "/etc/bash_completion.d. zsh: a file _tma in a folder of $fpath. fish: "
    "~/.config/fish/completions/tma.fish.\n"
    "\n"
    "Example: eval \"$(tma completion bash)\"",
    0,
    0,
};

int cmd_completion(int argc, char **argv) {
    size_t chosen = 0;
    options_parse(&parser, argc, argv, &chosen);
    fputs(shells[chosen].before, stdout);
    for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++) {
        put_verb(shells[chosen].verb, verbs[i].name, verbs[i].summary);
    }
    fputs(shells[chosen].behind, stdout);
    return CLI_CLEAN;
}
