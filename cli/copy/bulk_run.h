/* SPDX-License-Identifier: Apache-2.0
 *
 * tma load --bulk, tma store --bulk: copies without a map.
 */
#ifndef CLI_BULK_RUN_H
#define CLI_BULK_RUN_H

/* Whether --bulk is among a verb's words. */
int bulk_is_asked(int argc, char **argv);

/* The verb, "load" or "store", with options of its own. A cli_exit. */
int bulk_run(const char *verb, int argc, char **argv);

#endif
