// Starts PREFIX/libexec/schedlens by the loader and with the libraries that came with it: the
// program runs where those of the system are older, or are not there. PREFIX is two folders above
// this file. Linked statically, for it needs none itself.
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Where distributions keep the roots of TLS; libcurl knows the first, Debian's, by itself.
static const char* const roots[] = {
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
};

static char own[PATH_MAX], loader[PATH_MAX + 64], libraries[PATH_MAX + 64], program[PATH_MAX + 64];

int main(int argc, char** argv) {
  const ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
  if (length <= 0) {
    fputs("schedlens: finding its own files: /proc is not mounted\n", stderr);
    return 1;
  }
  // Diagnoses of `serve` are processes of their own: they start the way this one did.
  setenv("SCHEDLENS_LAUNCHER", own, 1);
  for (size_t i = 0; i < sizeof roots / sizeof *roots; ++i) {
    if (access(roots[i], R_OK) != 0) continue;
    if (i > 0) setenv("SSL_CERT_FILE", roots[i], 0);
    break;
  }
  for (int up = 0; up < 2; ++up) {
    char* slash = strrchr(own, '/');
    if (slash != NULL) *slash = '\0';
  }
  // Names of time zones, where the system has none.
  snprintf(program, sizeof program, "%s/share/zoneinfo", own);
  if (access("/usr/share/zoneinfo/UTC", R_OK) != 0) setenv("TZDIR", program, 0);
  snprintf(loader, sizeof loader, "%s/lib/ld.so", own);
  snprintf(libraries, sizeof libraries, "%s/lib", own);
  snprintf(program, sizeof program, "%s/libexec/schedlens", own);
  char** words = calloc((size_t)argc + 7, sizeof *words);
  if (words == NULL) return 1;
  char* const first[] = {loader, "--library-path", libraries, "--argv0", argv[0], program};
  memcpy(words, first, sizeof first);
  for (int i = 1; i < argc; ++i) words[5 + i] = argv[i];
  execv(loader, words);
  fprintf(stderr, "schedlens: starting %s: the folder is not whole; unpack it again\n", loader);
  return 1;
}
