package gslb

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"github.com/coredns/gslb/probe"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// certificate makes a self-signed one and its key.
func certificate(t *testing.T) (cert, key []byte) {
	t.Helper()
	k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), DNSNames: []string{"example.org"}}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &k.PublicKey, k)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(k)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})
}

func TestTLSFiles(t *testing.T) {
	root := t.TempDir()
	cert, key := certificate(t)
	_, otherKey := certificate(t)
	for name, text := range map[string][]byte{
		"cert.pem": cert, "key.pem": key, "other.pem": otherKey, "ca.pem": cert, "empty.pem": nil, "none.pem": []byte("no certificate, but s3cret"),
	} {
		if err := os.WriteFile(filepath.Join(root, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	absent := filepath.Join(root, "absent.pem")
	refusedLines := []struct{ line, word string }{
		{"tls absent.pem", absent},
		{"tls empty.pem", "empty.pem"},
		{"tls none.pem", "none.pem"},
		{"tls key.pem", "key.pem"}, // no certificate in it
		{"tls .", root},
		{"tls cert.pem absent.pem", absent},
		{"tls cert.pem other.pem", "other.pem"},
		{"tls key.pem cert.pem", "cert.pem"},
		{"tls cert.pem key.pem none.pem", "none.pem"},
		{"tls " + absent, absent},
	}
	for i, tc := range refusedLines {
		_, err := parsedIn(root, inKind("https", tc.line))
		if err == nil {
			t.Errorf("Test %d (V112): expected '%s' to be refused", i, tc.line)
			continue
		}
		if !strings.HasPrefix(err.Error(), "Testfile:4 - Error during parsing: ") || !strings.Contains(err.Error(), tc.word) {
			t.Errorf("Test %d (V112): expected a message with line 4 and %q, got %q", i, tc.word, err)
		}
		if strings.Contains(err.Error(), "s3cret") {
			t.Errorf("Test %d: expected no content of a file in the message, got %q", i, err)
		}
	}
	acceptedLines := []struct {
		line string
		want []string
	}{
		{"tls", nil},
		{"tls ca.pem", []string{"ca.pem"}},
		{"tls cert.pem key.pem", []string{"cert.pem", "key.pem"}},
		{"tls cert.pem key.pem " + filepath.Join(root, "ca.pem"), []string{"cert.pem", "key.pem", "ca.pem"}},
	}
	for i, tc := range acceptedLines {
		for _, kind := range []string{"https", "tcp 443"} {
			cfg, err := parsedIn(root, checkedOnly(kind+"\n"+tc.line))
			if err != nil {
				t.Errorf("Test %d: expected '%s' with %s to be accepted, got %q", i, tc.line, kind, err)
				continue
			}
			var paths []string
			switch k := theSpec(cfg).Kind.(type) {
			case probe.HTTP:
				paths = k.Credentials.Paths()
			case probe.TCP:
				paths = k.TLS.Paths()
			}
			var want []string
			for _, w := range tc.want {
				want = append(want, filepath.Join(root, w))
			}
			if !slices.Equal(paths, want) {
				t.Errorf("Test %d: expected the files %q below the root, got %q", i, want, paths)
			}
		}
	}
}

func TestSubnetsFile(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		"good":      "# ours\n\n 10.0.0.0/8 , West \r\n2001:db8::/32,north\n",
		"empty":     "",
		"comments":  "# nothing\n\n",
		"hostbits":  "10.0.0.0/8,x\n10.1.2.3/8,y\n",
		"noregion":  "10.0.0.0/8\n",
		"nocidr":    "10.0.0.0/8,x\nhere,y\n",
		"badname":   "10.0.0.0/8,a b\n",
		"threes":    "10.0.0.0/8,x,y\n",
		"twice":     "10.0.0.0/8,x\n11.0.0.0/8,x\n10.0.0.0/8,y\n",
		"collision": "11.0.0.0/8,x\n10.0.0.0/8,y\n",
	} {
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	in := func(name string) string { return filepath.Join(root, name) }
	tests := []struct {
		id, text string
		words    []string
	}{
		{"V112 missing", inBlock("subnets absent"), []string{"Testfile:2 - ", in("absent")}},
		{"V112 a directory", inBlock("subnets ."), []string{"Testfile:2 - ", root}},
		{"V112, H-43 empty", inBlock("subnets empty"), []string{"Testfile:2 - ", in("empty")}},
		{"H-43 empty", inBlock("subnets comments"), []string{"Testfile:2 - ", in("comments")}},
		{"V112 malformed", inBlock("subnets hostbits"), []string{"Testfile:2 - ", in("hostbits") + ":2", "'10.1.2.3/8'"}},
		{"V112 malformed", inBlock("subnets noregion"), []string{"Testfile:2 - ", in("noregion") + ":1", "'10.0.0.0/8'"}},
		{"V112 malformed", inBlock("subnets nocidr"), []string{"Testfile:2 - ", in("nocidr") + ":2", "'here'"}},
		{"V112 malformed", inBlock("subnets badname"), []string{"Testfile:2 - ", in("badname") + ":1", "'a b'"}},
		{"V112 malformed", inBlock("subnets threes"), []string{"Testfile:2 - ", in("threes") + ":1", "x,y"}},
		{"V112 one prefix in two regions", inBlock("subnets twice"), []string{in("twice") + ":3 - ", "'10.0.0.0/8'", in("twice") + ":1"}},
		{"V112 one prefix in file and line", inBlock("region z 10.0.0.0/8\nsubnets collision"), []string{in("collision") + ":2 - ", "'10.0.0.0/8'", "Testfile:2"}},
		{"V112 a region that no file defines", inBlock("subnets good\nnode region south"), []string{"Testfile:3 - ", "'south'"}},
	}
	for i, tc := range tests {
		_, err := parsedIn(root, tc.text)
		if err == nil {
			t.Errorf("Test %d (%s): expected a refusal, got none:\n%s", i, tc.id, tc.text)
			continue
		}
		for _, w := range tc.words {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("Test %d (%s): expected %q in the message, got %q", i, tc.id, w, err)
			}
		}
	}
	cfg, err := parsedIn(root, inBlock("subnets good\nregion north 10.2.0.0/16\nregion south\nnode region WEST\nrecord www {\norigin 192.0.2.1 region north\norigin 192.0.2.2 region west\norigin 192.0.2.3 region south\n}"))
	if err != nil {
		t.Fatalf("Expected it to be accepted, got %q", err)
	}
	if got := words(regionNameOf(cfg, "10.1.1.1"), regionNameOf(cfg, "10.2.1.1"), regionNameOf(cfg, "2001:db8::1")); got != "West north north" {
		t.Errorf("Expected West, north and north, got %s", got)
	}
	b := cfg.blocks[0]
	if b.subnets != in("good") {
		t.Errorf("Expected the file below the root, got %q", b.subnets)
	}
	err = b.locator.SetSubnets(nil) // a file that no longer defines a region that is named
	if err == nil || !strings.Contains(err.Error(), "West") {
		t.Errorf("Expected the file to have to define West, got %v", err)
	}
}
