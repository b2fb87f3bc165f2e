package pghash

import (
	"bufio"
	"encoding/json"
	"os"
	"testing"
)

func TestTextAsTheServer(t *testing.T) {
	f, err := os.Open("testdata/text.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	n := 0
	for lines := bufio.NewScanner(f); lines.Scan(); n++ {
		var v struct {
			Text     string
			Seed     int64
			Plain    int32
			Extended int64
		}
		if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
			t.Fatal(err)
		}
		if got := Text(v.Text); got != v.Plain {
			t.Errorf("Text(%q) = %d, want %d", v.Text, got, v.Plain)
		}
		if got := TextExtended(v.Text, v.Seed); got != v.Extended {
			t.Errorf("TextExtended(%q, %d) = %d, want %d", v.Text, v.Seed, got, v.Extended)
		}
	}
	if n < 40 {
		t.Errorf("read %d vectors, want at least 40", n)
	}
}

func TestLowHalfIsThePlainHash(t *testing.T) {
	for _, s := range []string{"", "x", "lifecycle:42", "a text of more than twelve bytes"} {
		if got := int32(TextExtended(s, 0)); got != Text(s) {
			t.Errorf("low half of %q = %d, want %d", s, got, Text(s))
		}
	}
}

func TestIntegersAsTheServer(t *testing.T) {
	for _, v := range []struct {
		n    int64
		want int32
	}{
		{0, -272711505}, {1, -1905060026}, {42, 1509752520}, {-1, 385747274},
		{2147483647, -96758253}, {-2147483648, -1524351049},
	} {
		if got := Int4(int32(v.n)); got != v.want {
			t.Errorf("Int4(%d) = %d, want %d", v.n, got, v.want)
		}
		if got := Int8(v.n); got != v.want {
			t.Errorf("Int8(%d) = %d, want %d", v.n, got, v.want)
		}
	}
	for _, v := range []struct {
		n    int64
		want int32
	}{
		{4294967296, -1905060026}, {9223372036854775807, -1524351049}, {-9223372036854775808, -96758253},
	} {
		if got := Int8(v.n); got != v.want {
			t.Errorf("Int8(%d) = %d, want %d", v.n, got, v.want)
		}
	}
	for _, v := range []struct{ n, seed, want int64 }{
		{42, 0, 8010225493015854792}, {-1, 0, -1888257769727981238}, {42, 1, 3812564155960986560},
		{4294967296, 7, -6563890024097284161},
	} {
		if got := Int8Extended(v.n, v.seed); got != v.want {
			t.Errorf("Int8Extended(%d, %d) = %d, want %d", v.n, v.seed, got, v.want)
		}
	}
}
