package requestredactionprocessor

import "strings"

// cloudKey is the published form of a credential: a prefix and what follows it.
type cloudKey struct {
	prefix string
	chars  *charset
	min    int  // characters behind the prefix
	exact  bool // no more than that
	mixed  bool // with a digit and a capital, where the prefix alone is a word
	behind bool // the prefix names the secret and stays
	before int  // characters in front of the prefix that are part of it
}

var (
	upperDigits = newCharset("09AZ")
	slackChars  = newCharset("09AZaz--")
	sasChars    = newCharset("09AZaz++//==%%")
	azureChars  = newCharset("09AZaz__--..~~")
	dotToken    = newCharset("09AZaz__--..")
	pathToken   = newCharset("09AZaz__--//")
)

// cloudKeys in the order of their prefixes. A prefix has its literal in the
// prefilter.
var cloudKeys = [...]cloudKey{
	// Amazon: ids of access keys, which the secret goes with.
	{prefix: "AKIA", chars: upperDigits, min: 16, exact: true},
	{prefix: "ASIA", chars: upperDigits, min: 16, exact: true},
	{prefix: "AROA", chars: upperDigits, min: 16, exact: true},
	{prefix: "AIDA", chars: upperDigits, min: 16, exact: true},
	{prefix: "ABIA", chars: upperDigits, min: 16, exact: true},
	{prefix: "ACCA", chars: upperDigits, min: 16, exact: true},
	// Google: API keys, access and refresh tokens, client secrets.
	{prefix: "AIza", chars: urlToken, min: 30},
	{prefix: "ya29.", chars: urlToken, min: 20},
	{prefix: "1//0", chars: urlToken, min: 30},
	{prefix: "GOCSPX-", chars: urlToken, min: 20},
	// Azure: keys of storage accounts and buses, signatures, client secrets.
	{prefix: "AccountKey=", chars: sasChars, min: 40, behind: true},
	{prefix: "AccessKey=", chars: sasChars, min: 40, behind: true},
	{prefix: "sig=", chars: sasChars, min: 40, behind: true},
	{prefix: "7Q~", chars: azureChars, min: 31, before: 3},
	{prefix: "8Q~", chars: azureChars, min: 31, before: 3},
	// GitHub, GitLab, Docker.
	{prefix: "ghp_", chars: alnum, min: 30},
	{prefix: "gho_", chars: alnum, min: 30},
	{prefix: "ghu_", chars: alnum, min: 30},
	{prefix: "ghs_", chars: alnum, min: 30},
	{prefix: "ghr_", chars: alnum, min: 30},
	{prefix: "github_pat_", chars: urlToken, min: 40},
	{prefix: "glpat-", chars: urlToken, min: 20},
	{prefix: "dckr_pat_", chars: urlToken, min: 20},
	// Slack.
	{prefix: "xoxb-", chars: slackChars, min: 10},
	{prefix: "xoxp-", chars: slackChars, min: 10},
	{prefix: "xoxa-", chars: slackChars, min: 10},
	{prefix: "xoxr-", chars: slackChars, min: 10},
	{prefix: "xoxs-", chars: slackChars, min: 10},
	{prefix: "xoxe.", chars: dotToken, min: 10},
	{prefix: "xoxe-", chars: slackChars, min: 10},
	{prefix: "xapp-", chars: slackChars, min: 10, mixed: true},
	{prefix: "hooks.slack.com/services/", chars: base64Set, min: 20, behind: true},
	// Stripe.
	{prefix: "sk_live_", chars: alnum, min: 10},
	{prefix: "sk_test_", chars: alnum, min: 10},
	{prefix: "rk_live_", chars: alnum, min: 10},
	{prefix: "rk_test_", chars: alnum, min: 10},
	{prefix: "whsec_", chars: sasChars, min: 20},
	// Others.
	{prefix: "sk-", chars: urlToken, min: 20, mixed: true},
	{prefix: "SG.", chars: dotToken, min: 40, mixed: true},
	{prefix: "api/webhooks/", chars: pathToken, min: 40, behind: true}, // Discord
	{prefix: "npm_", chars: alnum, min: 36},
	{prefix: "hvs.", chars: urlToken, min: 20},
	{prefix: "pypi-", chars: urlToken, min: 50},
	{prefix: "dop_v1_", chars: alnum, min: 40},
	{prefix: "doo_v1_", chars: alnum, min: 40},
	{prefix: "hf_", chars: alnum, min: 30, mixed: true},
}

// findCloudKeys finds credentials of cloud services by their published prefixes,
// and the secret keys of Amazon, which have none, by the name in front of them.
func findCloudKeys(s string, found []span) []span {
	first := len(found)
	for k := range cloudKeys {
		key := &cloudKeys[k]
		for i := 0; ; {
			n := strings.Index(s[i:], key.prefix)
			if n < 0 {
				break
			}
			at := i + n
			body := at + len(key.prefix)
			i = body
			start := at - key.before
			if start < 0 || !key.behind && !startsWord(s, start) || key.before > 0 && !alnum.all(s[start:at]) {
				continue
			}
			end := key.chars.run(s, body)
			if end-body < key.min || key.exact && end-body != key.min || key.mixed && !isMixed(s[body:end]) {
				if !key.exact {
					i = end // what begins within has less of everything
				}
				continue
			}
			if key.behind {
				start = body
			}
			found = append(found, span{start: start, end: end})
			i = end
		}
	}
	found = findAmazonSecrets(s, found)
	return dropOverlaps(found, first)
}

// amazonSecret is the length of a secret access key, which is base64.
const amazonSecret = 40

// findAmazonSecrets finds 40 characters of base64 behind a name of secret and
// key, as in aws_secret_access_key = … and "SecretAccessKey":"…".
func findAmazonSecrets(s string, found []span) []span {
	for i := 1; i < len(s); i++ {
		if s[i]|0x20 != 'y' || s[i-1]|0x20 != 'e' {
			continue
		}
		start := i + 1
		for start < len(s) && strings.IndexByte(" \t=:\"'\\", s[start]) >= 0 {
			start++
		}
		if start == i+1 {
			continue
		}
		end := base64Set.run(s, start)
		if end-start != amazonSecret || !isMixed(s[start:end]) {
			continue
		}
		name := strings.ToLower(s[max(0, i-len("secret_access_key")):i])
		if strings.Contains(name, "secret") {
			found = append(found, span{start: start, end: end})
			i = end
		}
	}
	return found
}

func (c *charset) all(s string) bool { return c.run(s, 0) == len(s) }

// isMixed says whether s has a digit and a letter of each case.
func isMixed(s string) bool {
	var digit, lower, upper bool
	for i := range len(s) {
		c := s[i]
		digit = digit || isDigit(c)
		lower = lower || c >= 'a' && c <= 'z'
		upper = upper || c >= 'A' && c <= 'Z'
	}
	return digit && lower && upper
}
