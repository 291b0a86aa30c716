/* SPDX-License-Identifier: MIT */
/*
 * hiredis can make TLS contexts too, but checks only that a certificate is signed by somebody, not
 * whose it is. So the context and the session are made with OpenSSL, and hiredis reads and writes
 * through them. The handshake is driven from here: hiredis would retry it as a write, and a socket
 * that is writable while the server's answer is on its way would keep the loop spinning.
 */
#include "link_tls.h"

#ifdef LINK_HAS_TLS

#include "link_lookup.h"
#include "mem.h"

#include <hiredis/hiredis.h>
#include <hiredis/hiredis_ssl.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <stdlib.h>
#include <uv.h>

struct link_tls {
    SSL_CTX *context; /* owned */
    const char *name; /* the URL's: whom each certificate must name; NULL: the host */
};

static const char *link_tls_error(void) {
    const char *text = ERR_reason_error_string(ERR_peek_last_error());
    return text ? text : "unknown error";
}

static int link_tls_fault(const char *what, const char *file, char *why, size_t why_size) {
    (void)snprintf(why, why_size, "%s %s: %s", what, file ? file : "", link_tls_error());
    return ERR_INVALID;
}

static int link_tls_trust(SSL_CTX *context, const struct link_url *url, char *why,
                          size_t why_size) {
    if (url->cacert && SSL_CTX_load_verify_locations(context, url->cacert, NULL) != 1)
        return link_tls_fault("cacert", url->cacert, why, why_size);
    if (!url->cacert && SSL_CTX_set_default_verify_paths(context) != 1)
        return link_tls_fault("the system's certificates", NULL, why, why_size);
    if (!url->cert && !url->key)
        return 0;
    if (!url->cert || !url->key) {
        (void)snprintf(why, why_size, "cert and key go together");
        return ERR_INVALID;
    }
    if (SSL_CTX_use_certificate_chain_file(context, url->cert) != 1)
        return link_tls_fault("cert", url->cert, why, why_size);
    if (SSL_CTX_use_PrivateKey_file(context, url->key, SSL_FILETYPE_PEM) != 1)
        return link_tls_fault("key", url->key, why, why_size);
    return 0;
}

int link_tls_new(struct link_tls **tls, const struct link_url *url, char *why, size_t why_size) {
    int result = ERR_NO_MEMORY;
    (void)snprintf(why, why_size, "%s", err_text(result));
    struct link_tls *made = mem_zero(1, sizeof *made);
    if (!made)
        return result;
    ERR_clear_error();
    made->name = url->server_name;
    made->context = SSL_CTX_new(TLS_client_method());
    if (!made->context)
        goto failed;
    SSL_CTX_set_verify(made->context, SSL_VERIFY_PEER, NULL);
    (void)SSL_CTX_set_min_proto_version(made->context, TLS1_2_VERSION);
    result = link_tls_trust(made->context, url, why, why_size);
    if (result < 0)
        goto failed;
    *why = '\0';
    *tls = made;
    return 0;
failed:
    link_tls_free(made);
    return result;
}

void link_tls_free(struct link_tls *tls) {
    if (tls)
        SSL_CTX_free(tls->context);
    free(tls);
}

/* An address stands in a certificate as such, and is not sent as a server name. */
static int link_tls_expect(SSL *session, const char *name) {
    if (link_lookup_is_address(name))
        return X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(session), name);
    return SSL_set1_host(session, name) == 1 && SSL_set_tlsext_host_name(session, name) == 1;
}

int link_tls_begin(const struct link_tls *tls, const char *host, redisContext *redis,
                   struct ssl_st **session, char *why, size_t why_size) {
    ERR_clear_error();
    SSL *made = SSL_new(tls->context);
    if (!made || link_tls_expect(made, tls->name ? tls->name : host) != 1) {
        (void)snprintf(why, why_size, "TLS: %s", link_tls_error());
        SSL_free(made);
        return ERR_DOWN;
    }
    if (redisInitiateSSL(redis, made) == REDIS_OK) {
        *session = made; /* and hiredis's to free */
        return 0;
    }
    (void)snprintf(why, why_size, "TLS: %s", redis->errstr);
    link_tls_explain(made, why, why_size);
    SSL_free(made);
    return ERR_DOWN;
}

int link_tls_shake_hands(struct ssl_st *session, char *why, size_t why_size) {
    ERR_clear_error();
    int result = SSL_do_handshake(session);
    if (result == 1)
        return 0;
    switch (SSL_get_error(session, result)) {
    case SSL_ERROR_WANT_READ:
        return UV_READABLE;
    case SSL_ERROR_WANT_WRITE:
        return UV_WRITABLE;
    default:
        (void)snprintf(why, why_size, "TLS: the server hung up");
        link_tls_explain(session, why, why_size);
        return ERR_DOWN;
    }
}

void link_tls_explain(const struct ssl_st *session, char *why, size_t why_size) {
    long verdict = SSL_get_verify_result(session);
    if (verdict != X509_V_OK)
        (void)snprintf(why, why_size, "TLS: certificate: %s",
                       X509_verify_cert_error_string(verdict));
    else if (ERR_peek_last_error() != 0)
        (void)snprintf(why, why_size, "TLS: %s", link_tls_error());
}

#else

#include <stdio.h>

int link_tls_new(struct link_tls **tls, const struct link_url *url, char *why, size_t why_size) {
    (void)tls;
    (void)url;
    (void)snprintf(why, why_size, "rediss:// needs TLS, which this build is without");
    return ERR_UNSUPPORTED;
}

void link_tls_free(struct link_tls *tls) {
    (void)tls;
}

/* Nobody has a link_tls, so nobody comes here. */
int link_tls_begin(const struct link_tls *tls, const char *host, struct redisContext *redis,
                   struct ssl_st **session, char *why, size_t why_size) {
    (void)tls;
    (void)host;
    (void)redis;
    (void)session;
    return link_tls_new(NULL, NULL, why, why_size);
}

int link_tls_shake_hands(struct ssl_st *session, char *why, size_t why_size) {
    (void)session;
    return link_tls_new(NULL, NULL, why, why_size);
}

void link_tls_explain(const struct ssl_st *session, char *why, size_t why_size) {
    (void)session;
    (void)why;
    (void)why_size;
}

#endif
