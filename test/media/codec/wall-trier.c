/* In the place of libespeak-ng, behind its walls: tries what has no business there, and pronounces what came of it. */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

int espeak_Initialize(int output, int buffer, const char* path, int options) {
  (void)output, (void)buffer, (void)path, (void)options;
  return 1;
}

int espeak_SetVoiceByName(const char* name) {
  (void)name;
  return 0;
}

const char* espeak_TextToPhonemes(const void** text, int charset, int mode) {
  (void)charset, (void)mode;
  static char said[160];
  *text = NULL;
  errno = 0;
  const int net = socket(AF_INET, SOCK_STREAM, 0);
  const int socket_error = errno;
  errno = 0;
  const pid_t child = fork();
  if (child == 0) _exit(0);
  const int fork_error = errno;
  if (child > 0) waitpid(child, NULL, 0);
  int variables = 0;
  while (environ != NULL && environ[variables] != NULL) variables++;
  snprintf(said, sizeof said, "socket %d %d fork %d %d environment %d", net >= 0, socket_error, child > 0, fork_error, variables);
  return said;
}
