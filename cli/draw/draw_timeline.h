/* SPDX-License-Identifier: Apache-2.0
 *
 * tma draw timeline: a picture of a run, which has no map.
 */
#ifndef CLI_DRAW_TIMELINE_H
#define CLI_DRAW_TIMELINE_H

/* Whether the first word that is no option is this picture. */
int draw_timeline_is_asked(int argc, char **argv);

/* A cli_exit. */
int draw_timeline(int argc, char **argv);

#endif
