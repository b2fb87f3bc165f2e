package initpipe

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
)

// NoCSRF is the CSRF of a service that no browser uses with cookies or other
// credentials that it sends by itself.
var NoCSRF CSRF = noCSRF{}

type noCSRF struct{}

func (noCSRF) Token(http.ResponseWriter, *http.Request) (string, error) { return "", nil }
func (noCSRF) Verify(*http.Request, string) error                       { return nil }

const csrfCookie = "initpipe_csrf"

// NewCSRF returns a CSRF that binds the page's token to a cookie, by a key of
// at least 32 random bytes that all replicas share; with it, a page that one
// replica served can post to another. It also refuses what a browser says
// comes from elsewhere (Sec-Fetch-Site, Origin).
func NewCSRF(key []byte) (CSRF, error) {
	if len(key) < sha256.Size {
		return nil, fmt.Errorf("initpipe: the key of NewCSRF has %d bytes, at least %d are needed", len(key), sha256.Size)
	}
	return &cookieCSRF{key: bytes.Clone(key), origin: http.NewCrossOriginProtection()}, nil
}

type cookieCSRF struct {
	key    []byte
	origin *http.CrossOriginProtection
}

func (c *cookieCSRF) mac(nonce string) string {
	m := hmac.New(sha256.New, c.key)
	io.WriteString(m, nonce)
	return base64.RawURLEncoding.EncodeToString(m.Sum(nil))
}

func (c *cookieCSRF) Token(w http.ResponseWriter, r *http.Request) (string, error) {
	if old, err := r.Cookie(csrfCookie); err == nil && len(old.Value) == 26 {
		return c.mac(old.Value), nil
	}
	nonce := rand.Text()
	http.SetCookie(w, &http.Cookie{Name: csrfCookie, Value: nonce, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: r.TLS != nil})
	return c.mac(nonce), nil
}

func (c *cookieCSRF) Verify(r *http.Request, token string) error {
	if err := c.origin.Check(r); err != nil {
		return err
	}
	cookie, err := r.Cookie(csrfCookie)
	switch {
	case err != nil || token == "":
		return errors.New("the CSRF token is missing; load the page again")
	case !hmac.Equal([]byte(c.mac(cookie.Value)), []byte(token)):
		return errors.New("the CSRF token is not valid; load the page again")
	}
	return nil
}
