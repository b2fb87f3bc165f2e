package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// database makes an empty one on the server of the tests.
func database(t *testing.T) string {
	t.Helper()
	dsn := os.Getenv("PGLOCKDEP_TEST_DSN")
	if dsn == "" {
		if os.Getenv("CI") != "" {
			t.Fatal("PGLOCKDEP_TEST_DSN is not set; make test sets it")
		}
		t.Skip("PGLOCKDEP_TEST_DSN is not set; make test sets it")
	}
	ctx := context.Background()
	admin, err := pgx.Connect(ctx, dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer admin.Close(ctx)
	name := fmt.Sprintf("example_%d", os.Getpid())
	if _, err := admin.Exec(ctx, "CREATE DATABASE "+name); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		admin, err := pgx.Connect(ctx, dsn)
		if err == nil {
			defer admin.Close(ctx)
			_, err = admin.Exec(ctx, "DROP DATABASE "+name+" WITH (FORCE)")
		}
		if err != nil {
			t.Error(err)
		}
	})
	cfg := admin.Config()
	return fmt.Sprintf("host=%s port=%d user=%s dbname=%s sslmode=disable", cfg.Host, cfg.Port, cfg.User, name)
}

// replica serves until the test ends, and returns the address of the page.
func replica(t *testing.T, dsn string) string {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	env := map[string]string{"DATABASE_URL": dsn, "LISTEN": "127.0.0.1:0", "OPERATOR": "operator:demo", "CSRF_KEY": strings.Repeat("k", 32)}
	done := make(chan error)
	go func() { done <- run(ctx, func(name string) string { return env[name] }, w) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	line, err := bufio.NewReader(r).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.Replace(strings.TrimSpace(line), "http://", "http://operator:demo@", 1)
}

func ask(t *testing.T, method, url, cookie, token string) (int, string, string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Cookie", cookie)
	req.Header.Set("X-CSRF-Token", token)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	set, _, _ := strings.Cut(res.Header.Get("Set-Cookie"), ";")
	return res.StatusCode, string(body), set
}

func TestService(t *testing.T) {
	dsn := database(t)
	one, two := replica(t, dsn), replica(t, dsn)
	home := strings.TrimSuffix(one, "/api/db/init/page")
	if status, _, _ := ask(t, "GET", home+"/courses", "", ""); status != 503 {
		t.Errorf("courses before: %d", status)
	}
	if status, _, _ := ask(t, "GET", strings.Replace(one, "operator:demo@", "", 1), "", ""); status != 401 {
		t.Errorf("without a password: %d", status)
	}
	_, page, cookie := ask(t, "GET", one, "", "")
	token := regexp.MustCompile(`name="csrf" value="([^"]+)"`).FindStringSubmatch(page)[1]
	// The page of one replica posts to the other.
	api := strings.TrimSuffix(two, "/page")
	if status, body, _ := ask(t, "POST", api, cookie, token); status != 200 || !strings.Contains(body, `"code": "INITIALISED"`) {
		t.Fatalf("%d %s", status, body)
	}
	if status, body, _ := ask(t, "POST", strings.TrimSuffix(one, "/page"), cookie, token); status != 200 || !strings.Contains(body, "ALREADY_INITIALISED") {
		t.Errorf("%d %s", status, body)
	}
	if status, body, _ := ask(t, "GET", home+"/courses", "", ""); status != 200 || !strings.HasPrefix(body, "Fences\n") {
		t.Errorf("courses: %d %s", status, body)
	}
}
