package shell

import (
	"regexp"
	"testing"
)

func TestJava_ClassName(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		`public class Sum {}`:                                     "Sum",
		"class A {} \n public final class B {}":                   "B",
		"// public class No {}\n/* class No2 {} */ class Yes {}":  "Yes",
		`class A { String s = "public class B {}"; }`:             "A",
		"class A { String s = \"\"\"\npublic class B {}\"\"\"; }": "A",
		`record R(int a) {}`:                                      "R",
		`void main() {}`:                                          "Main",
		``:                                                        "Main",
		`class ../../etc/passwd {}`:                               "Main",
	} {
		if got := className(source); got != want {
			t.Errorf("%q: %s; want %s", source, got, want)
		}
	}
}

func FuzzClassName(f *testing.F) {
	for _, s := range []string{"public class A {}", `"""`, `'\`, "/*", "//", "class \x00", `class A { char c = '"'; }`} {
		f.Add(s)
	}
	name := regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	f.Fuzz(func(t *testing.T, source string) {
		if got := className(source); !name.MatchString(got) {
			t.Errorf("%q is no name of a class", got)
		}
	})
}
