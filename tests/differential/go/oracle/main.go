// The results of Go's own parsers. A line of input is a kind and texts in hexadecimal, separated by spaces; a line of
// output is the answer in hexadecimal.
package main

import (
	"bufio"
	"encoding/hex"
	"fmt"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/apparentlymart/go-versions/versions"
	"github.com/apparentlymart/go-versions/versions/constraints"
	hashicorp "github.com/hashicorp/go-version"
)

func main() {
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<24)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for in.Scan() {
		fields := strings.Split(in.Text(), " ")
		texts := make([]string, 2)
		for i, field := range fields[1:] {
			text, err := hex.DecodeString(field)
			if err != nil {
				panic(err)
			}
			texts[i] = string(text)
		}
		fmt.Fprintln(out, hex.EncodeToString([]byte(answer(fields[0], texts[0], texts[1]))))
	}
}

func answer(kind, text, version string) (said string) {
	// One of the libraries panics on a number that is too large.
	defer func() {
		if recover() != nil {
			said = "panic"
		}
	}()
	switch kind {
	case "url":
		u, err := url.Parse(text)
		if err != nil {
			return err.Error()
		}
		user := ""
		if u.User != nil {
			password, has := u.User.Password()
			user = fmt.Sprintf("%s %t %s", u.User.Username(), has, password)
		}
		return fmt.Sprintf("%s|%s|%s|%s|%s|%s|%t|%s|%s|%s", u.Scheme, u.Opaque, user, u.Host, u.Path, u.RawPath,
			u.ForceQuery, u.RawQuery, u.Fragment, u.RawFragment)
	case "duration":
		d, err := time.ParseDuration(text)
		if err != nil {
			return err.Error()
		}
		return fmt.Sprint(int64(d))
	case "version":
		cs, err := hashicorp.NewConstraint(text)
		if err != nil {
			return err.Error()
		}
		v, err := hashicorp.NewSemver(version)
		if err != nil {
			return err.Error()
		}
		return fmt.Sprint(cs.Check(v))
	default:
		v, err := versions.ParseVersion(version)
		if err != nil {
			return "no version"
		}
		cs, err := constraints.ParseRubyStyleMulti(text)
		if err != nil {
			return err.Error()
		}
		return fmt.Sprint(versions.MeetingConstraintsExact(cs).Has(v))
	}
}
