package redaction_test

import (
	"crypto/ed25519"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/pem"
	"fmt"
	"math/rand/v2"
	"strings"
)

const (
	lower    = "abcdefghijklmnopqrstuvwxyz"
	digits   = "0123456789"
	alnum    = lower + "ABCDEFGHIJKLMNOPQRSTUVWXYZ" + digits
	base64ID = alnum + "-_"
)

// secretKeys are names under which services of the field carry secrets.
var secretKeys = []string{
	"password", "passwd", "pwd", "secret", "token", "api_key", "apiKey", "api-key", "client_secret", "clientSecret", "access_token", "accessToken",
	"refresh_token", "id_token", "auth_token", "csrf_token", "session_token", "private_key", "secret_key", "user_password", "X-Api-Key", "db.password",
	"DB_PASSWORD", "passphrase", "signature", "credentials", "aws_secret_access_key", "cvv", "connection_string",
}

// secret is one secret that was sent, and what to search for: any of the needles,
// so that a part that was left is found too. Each has needleBytes at least.
type secret struct {
	place, kind string
	needles     []string
}

const needleBytes = 8

func (s secret) String() string { return fmt.Sprintf("%s in %s: %q", s.kind, s.place, s.needles) }

// corpus makes secrets that are random but for its seed, and remembers them.
type corpus struct {
	r       *rand.Rand
	secrets []secret
}

func newCorpus(seed uint64) *corpus { return &corpus{r: rand.New(rand.NewPCG(seed, 0))} }

func (c *corpus) chars(alphabet string, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = alphabet[c.r.IntN(len(alphabet))]
	}
	return string(b)
}

func (c *corpus) pick(list []string) string { return list[c.r.IntN(len(list))] }

// key gives a name for a secret.
func (c *corpus) key() string { return c.pick(secretKeys) }

// remember notes a secret of a place.
func (c *corpus) remember(place, kind string, needles ...string) {
	c.secrets = append(c.secrets, secret{place, kind, needles})
}

// plain gives a password of letters and digits.
func (c *corpus) plain(place string) string {
	value := c.chars(alnum, 12+c.r.IntN(20))
	c.remember(place, "named", value)
	return value
}

// odd gives one with anything in its middle that a keyboard has.
func (c *corpus) odd(place string) string {
	head, tail := c.chars(alnum, needleBytes), c.chars(alnum, needleBytes)
	c.remember(place, "named, odd characters", head, tail)
	return head + c.chars(`"\&=%+/ :;<>{}[]()'!#$^*~|?@,`, 8) + "é" + tail
}

// shaped are secrets that are told by what they look like. Each gives the text to
// send and what must not be found of it.
var shaped = map[string]func(*corpus) (text, needle string){
	"card": func(c *corpus) (string, string) { n := c.card(); return n, n },
	"card in groups": func(c *corpus) (string, string) {
		n := c.card()
		n = n[:4] + "-" + n[4:8] + "-" + n[8:12] + "-" + n[12:]
		return n, n
	},
	"email": func(c *corpus) (string, string) {
		n := c.chars(lower, 8) + "." + c.chars(lower, 6) + "@" + c.chars(lower, 9) + ".example.com"
		return n, n
	},
	"jwt": func(c *corpus) (string, string) {
		payload := c.encode64(fmt.Sprintf(`{"sub":"%s","iat":%d}`, c.chars(alnum, 12), 1_700_000_000+c.r.IntN(1e8)))
		n := c.encode64(`{"alg":"HS256","typ":"JWT"}`) + "." + payload + "." + c.chars(base64ID, 43)
		return n, payload
	},
	"bearer": func(c *corpus) (string, string) {
		n := c.chars(alnum, 32)
		return "Bearer " + n, n
	},
	"basic": func(c *corpus) (string, string) {
		n := base64.StdEncoding.EncodeToString([]byte(c.chars(lower, 6) + ":" + c.chars(alnum, 15)))
		return "Basic " + n, n
	},
	"aws key": func(c *corpus) (string, string) {
		n := "AKIA" + c.chars("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16)
		return n, n
	},
	"github":     func(c *corpus) (string, string) { n := "ghp_" + c.chars(alnum, 36); return n, n },
	"google key": func(c *corpus) (string, string) { n := "AIza" + c.chars(alnum, 35); return n, n },
	"stripe":     func(c *corpus) (string, string) { n := "sk_live_" + c.chars(alnum, 24); return n, n },
	"slack": func(c *corpus) (string, string) {
		n := "xoxb-" + c.chars(digits, 12) + "-" + c.chars(digits, 12) + "-" + c.chars(alnum, 24)
		return n, n
	},
	"private key": func(c *corpus) (string, string) {
		seed := make([]byte, ed25519.SeedSize)
		for i := range seed {
			seed[i] = byte(c.r.IntN(256))
		}
		der, err := x509.MarshalPKCS8PrivateKey(ed25519.NewKeyFromSeed(seed))
		if err != nil {
			panic(err)
		}
		text := strings.TrimSpace(string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})))
		return text, strings.Split(text, "\n")[1][20:56]
	},
	"iban": func(c *corpus) (string, string) { n := c.iban(); return n, n },
	"us ssn": func(c *corpus) (string, string) {
		n := fmt.Sprintf("%03d-%02d-%04d", 100+c.r.IntN(500), 10+c.r.IntN(80), 1000+c.r.IntN(8000))
		return n, n
	},
	"url password": func(c *corpus) (string, string) {
		n := c.chars(alnum, 14)
		return "postgres://" + c.chars(lower, 6) + ":" + n + "@db.internal:5432/shop", n
	},
}

func (c *corpus) encode64(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) }

// card is a number of 16 digits with the check digit of Luhn.
func (c *corpus) card() string {
	n := c.pick([]string{"4", "51", "53", "55", "2720"})
	n += c.chars(digits, 15-len(n))
	sum := 0
	for i := range n {
		d := int(n[len(n)-1-i] - '0')
		if i%2 == 0 {
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum += d
	}
	return n + string(rune('0'+(10-sum%10)%10))
}

// iban is a German account number with its check digits (ISO 13616).
func (c *corpus) iban() string {
	account := c.chars("123456789", 1) + c.chars(digits, 17)
	rest := 0
	for _, d := range account + "131400" { // DE00
		rest = (rest*10 + int(d-'0')) % 97
	}
	return fmt.Sprintf("DE%02d%s", 98-rest, account)
}

func (c *corpus) hexID(n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(c.r.IntN(256))
	}
	return hex.EncodeToString(b)
}
