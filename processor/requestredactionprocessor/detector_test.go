package requestredactionprocessor

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

const (
	jwtToken = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U"
	pemKey   = "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA7\n-----END RSA PRIVATE KEY-----"
)

// Each text holds its findings between « and »; those without hold none.
var detections = map[Detector][]string{
	DetectorCard: {
		"«4111111111111111»", "card «4111 1111 1111 1111» exp 12/27", "«4111-1111-1111-1111».", "12 «4111 1111 1111 1111»",
		"«5555555555554444», «378282246310005», «3782 822463 10005» «30569309025904»", "«6011111111111117» «3530111333300000» «2223003122003222»",
		"4222222222222", "«4111.1111.1111.1111»", "«4111+1111+1111+1111»&x", "«4111\u00a01111\u00a01111\u00a01111»", "«4111\u20111111\u20111111\u20111111»",
		"«４１１１１１１１１１１１１１１１»", "«٤١١١١١١١١١١١١١١١»", "«4111\u200b1111\u200b1111\u200b1111»", `line\n«4111111111111111»\n`, "«4111  1111  1111  1111»",
		"4111111111111112", "41111111111111111", "a4111111111111111", "4111111111111111b", "0.4111111111111111", "4111111111111111.5",
		"1764504000123456789", "1764504000123", "4111 11111111 1111", "0000000000000000", "550e8400-e29b-41d4-a716-446655440000", "9999999999999995",
	},
	DetectorEmail: {
		"«ann@example.com»", "to <«ann.b+tag@mail.example.co.uk»>, «x_y@163.com».", "mailto:«o'brien@example.org»", "user=«ann@example.com»&x", "«a@xn--bcher-kva.xn--p1ai»",
		"«müller@example.de»", "to «ann@müller.de»", "«user@例え.テスト»", "«ann@example.com»に", "«ann@example.com»...done", "«ann@example.com»-ok", "«ann@example.com».12", "«ann@example.com»" + strings.Repeat("-", 300),
		"@app.route", "logo@2x.png", "lodash@4.17.21", "collector@v0.160.0/x.go", "git@github.com:a/b", "node_modules/@opentelemetry/api", "root@localhost", "app@web1.internal", "a@b", "java.lang.Object@1b2c3d", "img@sha256:abc",
	},
	DetectorJWT: {
		"«" + jwtToken + "»", "token=«" + jwtToken + "»;", "session_«" + jwtToken + "».", "«" + jwtToken[:60] + "»", "a«eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0.»"[1:],
		"eyJ.eyJ", "eyJwYWdlIjoyfQ.x.y", "keyJson.value", jwtToken[:36],
	},
	DetectorBearer: {
		"Bearer «abcdef123456»", "authorization: bearer «mF_9.B5f-4.1JqM==»", "Bearer «AbCdEfGhIjKl». Next", "Basic «dXNlcjpwYXNzd29yZA==»", `"Bearer «a1b2c3d4e5»"`, "Bearer%20«a1b2c3d4e5»",
		"bearer token is missing", "Bearer authentication", "Basic authentication", "the bearer of", "basic plan", "Bearer x",
	},
	DetectorCloudKey: {
		"«AKIAIOSFODNN7EXAMPLE»", "key=«ASIAIOSFODNN7EXAMPLE»", "aws_secret_access_key = «wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY»", `"SecretAccessKey":"«wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY»"`,
		"«AIzaSyA1234567890abcdefghijklmnopqrstuv»", "«ya29.a0AfH6SMBx1234567890abcdef»", "«GOCSPX-1234567890abcdefghijklmnopqr»",
		"AccountKey=«" + strings.Repeat("Ab1+", 21) + "Aw==»;EndpointSuffix=x", "sig=«" + strings.Repeat("Ab1x", 11) + "%3D»&se=1", "«abc8Q~" + strings.Repeat("a1B~", 8) + "»",
		"«ghp_" + strings.Repeat("a1B2", 9) + "»", "«github_pat_" + strings.Repeat("a1B2", 12) + "»", "«glpat-" + strings.Repeat("a1B2", 5) + "»",
		"«xoxb-" + "123456789012-abcdefGHIJ»", "«sk_live_" + "4eC39HqLyjWDarjtT1zdp7dc»", "«whsec_" + strings.Repeat("a1B2", 8) + "»", "«sk-proj-" + strings.Repeat("a1B2", 10) + "»",
		"«SG." + strings.Repeat("a1B2", 5) + "." + strings.Repeat("a1B2", 10) + "»", "«npm_" + strings.Repeat("a1B2", 9) + "»", "«hvs." + strings.Repeat("a1B2", 6) + "»",
		"https://hooks.slack.com/services/«T00000000/B00000000/" + strings.Repeat("aB1", 8) + "»", "https://discord.com/api/webhooks/«1234567890/" + strings.Repeat("aB1_", 15) + "»",
		"AKIA", "npm_config_user_agent", "sk-loading-indicator-wrapper-large", "AKIAIOSFODNN7EXAMPLEX", "task-management-in-a-big-Company1", "monkey: 12", "SG.1.2", "ghp_short",
	},
	DetectorPrivateKey: {
		"«" + pemKey + "»\n", "x «" + strings.ReplaceAll(pemKey, "\n", `\n`) + "» y", `{"k":"«-----BEGIN PRIVATE KEY-----\nMIIE»"}`, "«-----BEGIN PGP PRIVATE KEY BLOCK-----\nx\n-----END PGP PRIVATE KEY BLOCK-----»",
		"k=«-----BEGIN+EC+PRIVATE+KEY-----%0AMHcC%0A-----END+EC+PRIVATE+KEY-----»&a=b", "«-----BEGIN OPENSSH PRIVATE KEY-----\nb3Bl»",
		"-----BEGIN CERTIFICATE-----\nMIID\n-----END CERTIFICATE-----", "-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----", "-----BEGIN",
	},
	DetectorIBAN: {
		"«DE89370400440532013000»", "IBAN «DE89 3704 0044 0532 0130 00».", "«GB82WEST12345698765432», «gb82 west 1234 5698 7654 32»", "«NO9386011117947»", "«MT84MALT011000012345MTLCAST001S»", "«FR14+2004+1010+0505+0001+3M02+606»",
		"DE89370400440532013001", "XDE89370400440532013000", "DE8937040044053201300", "XX89370400440532013000", "de305d54-75b4-431b-adb2-eb6b9e546014",
	},
	DetectorUSSSN: {
		"«123-45-6789»", "ssn: «123-45-6789».", "SSN «123 45 6789»", "ssn=«123456789»", `{"userSSN":«123456789»}`, "«123\u201145\u20116789»",
		"000-12-3456", "666-12-3456", "912-34-5678", "123-00-4567", "123-45-0000", "200 12 1234", "123456789", "FROM cvyssn WHERE n = 323958355", "ssns 323958355", "2026-123-45-6789", "123-45-67890", "a123-45-6789",
	},
	DetectorURLPassword: {
		"postgres://«app:s3cret»@db:5432/x", "dial amqp://«u:p»@mq failed", "https://«ghx_0123456789abcdefghijkl»@github.com/a",
		"https://ann@example.com", "https://h/@ann:x", "redis://h:6379", "://@",
	},
	DetectorPhone: {
		"«+49 30 1234567»", "call «+1 (212) 555-0123» now", "«(212) 555-0123»", "«212-555-0123», «212.555.0123»", "«+4915112345678»",
		"2125550123", "+12", "1.2.3.4", "2026-11-30 12:00:00", "12-345-67890",
	},
	DetectorIP: {
		"«10.1.2.3»", "from «192.168.0.1»:8080", "[«2001:db8::1»]:443", "«::1» «fe80::1ff:fe23:4567:890a»", "x=«10.0.0.1»,",
		"12:34:56", "1.2.3", "1.2.3.4.5", "256.1.1.1", "abc", "::", "deadbeef",
	},
}

func TestDetectors(t *testing.T) {
	for d, texts := range detections {
		t.Run(string(d), func(t *testing.T) {
			for _, marked := range texts {
				s := strings.NewReplacer("«", "", "»", "").Replace(marked)
				var out strings.Builder
				copied := 0
				for _, f := range detectors[d].find(s, nil) {
					out.WriteString(s[copied:f.start] + "«" + s[f.start:f.end] + "»")
					copied = f.end
				}
				assert.Equal(t, marked, out.String()+s[copied:])
				if needs := detectors[d].needs; s != marked {
					assert.Equal(t, needs, filter.of(s)&needs, "the prefilter lets %q through", s)
				}
			}
		})
	}
}

// Whatever a detector is given, its spans lie in the text, in order.
func FuzzDetectors(f *testing.F) {
	for _, texts := range detections {
		for _, s := range texts {
			f.Add(strings.NewReplacer("«", "", "»", "").Replace(s))
		}
	}
	f.Fuzz(func(t *testing.T, s string) {
		for name, d := range detectors {
			last := 0
			for _, found := range d.find(s, nil) {
				if found.start < last || found.end <= found.start || found.end > len(s) {
					t.Fatalf("%s in %q: %+v behind %d", name, s, found, last)
				}
				last = found.end
			}
		}
	})
}
