package shell

import (
	"strings"
)

// sub takes the first operand that is no option off the arguments: the command of a tool.
func (k *call) sub() string {
	for i, a := range k.args {
		if a.kind != exact {
			k.x.unclear("It cannot be known what %s does with %s.", k.name, a.src)
			return ""
		}
		if a.text == "" || a.text[0] == '-' || a.text[0] == '+' {
			continue
		}
		k.args = append(append([]word{}, k.args[:i]...), k.args[i+1:]...)
		return a.text
	}
	return ""
}

// builds notes that the code of the project is built or run.
func (k *call) builds(what string) {
	k.x.r.writes = true
	k.x.runs(what)
	k.x.path(literal("."), k.in, writes)
}

const goOther = "-toolexec -exec -vettool -modfile -overlay -modcacherw -pkgdir -C -mod -ldflags -gcflags -asmflags -gccgoflags -compiler -godebug -fuzzworker"

func goTool(k *call) {
	x := k.x
	if version(k) {
		return
	}
	sub := k.sub()
	buildSpec := &spec{
		loose: true,
		value: "-run -bench -benchtime -count -timeout -tags -p -parallel -cpu -skip -fuzz -fuzztime -covermode -coverpkg -vet -shuffle -f -c -list -buildmode -installsuffix -blockprofilerate -memprofilerate",
		write: "-o -coverprofile -cpuprofile -memprofile -blockprofile -mutexprofile -trace -outputdir -test.coverprofile",
		other: strings.Replace(goOther, " -ldflags", "", 1),
		read:  "-pgo",
	}
	switch sub {
	case "version", "doc", "help", "":
		k.apply(&spec{use: useNothing, other: "-http -C", options: "-all -c -cmd -ex -short -src -u -m -v"})
	case "env":
		k.parse(&spec{other: "-C -w -u", options: "-json -changed"})
	case "list":
		k.repository() // go asks git about the version of a main package
		p := k.parse(&spec{value: "-f -tags", other: strings.Replace(goOther, " -C", "", 1) + " -C", options: "-e -deps -m -test -json -find -retracted -versions -u"})
		if p.has("-u", "-versions") {
			x.network("go list")
		}
		x.path(literal("."), k.in, names)
	case "test", "vet", "build":
		k.parse(buildSpec)
		k.builds("go " + sub)
		if strings.Contains(joined(k.args).text, "-extld") {
			x.unclear("The options of go %s may run a program.", sub)
		}
	case "fmt", "fix", "clean":
		k.parse(&spec{loose: true, other: goOther})
		k.builds("go " + sub)
	case "mod":
		switch k.sub() {
		case "graph", "why", "verify":
			k.parse(&spec{other: "-C", options: "-m -vendor"})
			x.path(literal("."), k.in, names)
		case "edit", "init", "vendor":
			k.builds("go mod")
		default:
			x.network("go mod")
			k.builds("go mod")
		}
	case "run", "generate", "tool":
		x.r.opaque = true
		x.unclear("What go %s runs is not known.", sub)
		for _, a := range k.args {
			if strings.Contains(a.text, "@") {
				x.network("go run")
			}
			if strings.HasSuffix(a.text, ".go") {
				k.executes(a)
			}
		}
		k.builds("go " + sub)
		k.leftovers()
	case "get", "install":
		x.network("go " + sub)
		k.parse(buildSpec)
		k.builds("go " + sub)
	case "work", "telemetry", "bug":
		x.r.writes = true
		x.unclear("What go %s does is not known.", sub)
	default:
		x.unclear("What go %s does is not known.", sub)
	}
}

func npm(k *call) {
	x := k.x
	if version(k) {
		return
	}
	for i, a := range k.args {
		switch {
		case oneOf(a.text, "--prefix", "-C", "--cwd", "--dir") && i+1 < len(k.args):
			x.path(k.args[i+1], k.in, writes)
		case strings.HasPrefix(a.text, "--prefix=") || strings.HasPrefix(a.text, "--script-shell") || strings.HasPrefix(a.text, "--userconfig") || strings.HasPrefix(a.text, "--node-options"):
			x.unclear("The option %s of %s may run something else.", a.text, k.name)
		}
	}
	switch sub := k.sub(); sub {
	case "test", "t", "start", "build", "lint", "run", "run-script", "rum":
		k.executes(literal("package.json"))
		k.builds(k.name + " " + sub)
	case "ls", "list", "ll", "la", "root", "prefix", "bin", "why", "explain":
		if k.name != "npm" { // which run a file that the project names
			k.builds(k.name + " " + sub)
			return
		}
		k.parse(&spec{other: "--cache --logs-dir --userconfig --globalconfig", value: "--depth -w --omit --include", options: "-a -g -l -p --all --global --json --long --parseable --prod --production --dev --workspaces --link --package-lock-only"})
		x.path(literal("."), k.in, names)
	case "install", "i", "ci", "add", "update", "up", "upgrade", "remove", "rm", "uninstall", "un", "audit", "outdated", "view", "info", "show", "search", "fund", "dedupe", "link", "import", "install-test", "it":
		x.network(k.name)
		k.builds(k.name + " " + sub)
	case "exec", "x", "dlx", "create", "init", "node":
		if sub == "init" && k.any("-y", "--yes") && len(k.args) == 1 {
			k.builds(k.name + " init")
			return
		}
		fetched(k)
	case "":
		if k.name == "yarn" {
			x.network(k.name)
			k.builds("yarn")
		}
	case "publish", "unpublish", "deprecate", "owner", "access", "token", "login", "logout", "adduser":
		x.network(k.name)
		x.unclear("%s %s changes what others get.", k.name, sub)
		if sub == "unpublish" {
			x.danger("%s unpublish destroys what is elsewhere.", k.name)
		}
	default:
		x.unclear("What %s %s does is not known.", k.name, sub)
		k.builds(k.name + " " + sub)
	}
}

// maker judges programs that run what a file of the project says.
func maker(k *call) {
	x := k.x
	if version(k) {
		return
	}
	x.r.opaque = true
	x.unclear("What %s runs is written in a file.", k.name)
	k.builds(k.name)
	k.makefiles()
	for i, a := range k.args {
		if _, value, ok := strings.Cut(a.text, "="); ok {
			k.asCode(word{text: "'" + value + "'"})
		}
		if i > 0 && oneOf(k.args[i-1].text, "-f", "-C", "--file", "--directory") {
			x.path(a, k.in, reads)
		}
		if strings.HasPrefix(a.text, "--eval") {
			k.asCode(a)
		}
	}
	if k.any("distclean", "mrproper", "destroy") {
		x.unclear("%s removes what it finds to be superfluous.", k.name)
	}
}

// makefiles notes the files that say what is made: those that are named, else those that are
// looked for.
func (k *call) makefiles() {
	in, named := k.in, false
	defer func() { k.in = in }()
	for i, a := range k.args { // the folder counts wherever it is said
		if i > 0 && oneOf(k.args[i-1].text, "-C", "--directory") {
			k.in = k.x.resolve(a, k.in)
		} else if rest, ok := strings.CutPrefix(a.text, "-C"); ok && rest != "" {
			k.in = k.x.resolve(a.after(2), k.in)
		} else if rest, ok := strings.CutPrefix(a.text, "--directory="); ok {
			k.in = k.x.resolve(literal(rest), k.in)
		}
	}
	for i, a := range k.args {
		var file word
		switch {
		case i > 0 && oneOf(k.args[i-1].text, "-f", "--file", "--makefile"):
			file = a
		case strings.HasPrefix(a.text, "-f") && len(a.text) > 2:
			file = a.after(2)
		case strings.HasPrefix(a.text, "--file="), strings.HasPrefix(a.text, "--makefile="):
			file = a.after(strings.IndexByte(a.text, '=') + 1)
		default:
			continue
		}
		named = true
		k.executes(file)
	}
	usual := map[string][]string{"make": {"GNUmakefile", "makefile", "Makefile"}, "gmake": {"GNUmakefile", "makefile", "Makefile"}, "just": {"justfile"}, "task": {"Taskfile.yml"}, "rake": {"Rakefile"}, "ninja": {"build.ninja"}}
	if !named {
		for _, name := range usual[k.name] {
			k.executes(literal(name))
		}
	}
}

func mvn(k *call) {
	x := k.x
	if version(k) {
		return
	}
	k.builds(k.name)
	for i, a := range k.args {
		text := a.text
		switch {
		case a.kind != exact:
			x.unclear("It cannot be known what %s does with %s.", k.name, a.src)
		case i > 0 && oneOf(k.args[i-1].text, "-f", "--file", "-s", "--settings", "-gs", "-t", "--toolchains", "-l", "--log-file"):
			x.path(a, k.in, writes)
		case i > 0 && oneOf(k.args[i-1].text, "-pl", "--projects", "-rf", "--resume-from", "-P", "--activate-profiles", "-T", "--threads", "-D", "-o"):
		case strings.HasPrefix(text, "-D"):
			if strings.HasPrefix(text, "-Dexec.") || strings.HasPrefix(text, "-Dmaven.ext") || strings.HasPrefix(text, "-DargLine") || strings.HasPrefix(text, "-Djvm") || strings.HasPrefix(text, "-Dmaven.repo") || strings.HasPrefix(text, "-Dmaven.multiModule") {
				x.unclear("The option %s may make maven run a program.", text)
			}
		case strings.HasPrefix(text, "-"):
		case oneOf(text, "deploy", "release:perform", "release:prepare", "site-deploy"):
			x.network("mvn " + text)
		case oneOf(text, "clean", "validate", "compile", "test-compile", "test", "package", "verify", "install", "site", "process-resources", "generate-sources", "initialize", "integration-test", "prepare-package", "process-classes"),
			oneOf(text, "dependency:tree", "dependency:analyze", "help:effective-pom", "help:describe", "surefire:test", "compiler:compile", "spotless:apply", "spotless:check", "checkstyle:check", "jacoco:report", "versions:display-dependency-updates"):
		default:
			x.r.opaque = true
			x.unclear("What %s %s runs is not known.", k.name, text)
		}
	}
}

func gradle(k *call) {
	if version(k) {
		return
	}
	k.builds(k.name)
	for i, a := range k.args {
		text := a.text[strings.LastIndexByte(a.text, ':')+1:]
		switch {
		case a.kind != exact:
			k.x.unclear("It cannot be known what %s does with %s.", k.name, a.src)
		case i > 0 && oneOf(k.args[i-1].text, "--tests", "-x", "--max-workers"):
		case oneOf(text, "build", "test", "check", "clean", "assemble", "classes", "testClasses", "jar", "compileJava", "compileKotlin", "tasks", "dependencies", "projects", "properties", "help", "javadoc"),
			oneOf(text, "--offline", "--info", "--stacktrace", "--tests", "-x", "--no-daemon", "--parallel", "-q", "--quiet", "--continue", "--console=plain", "--rerun-tasks", "--max-workers"):
		default:
			k.x.r.opaque = true
			k.x.unclear("What %s %s runs is not known.", k.name, a.text)
		}
	}
}

func cargo(k *call) {
	x := k.x
	if version(k) {
		return
	}
	for _, a := range k.args {
		if strings.HasPrefix(a.text, "--config") || strings.HasPrefix(a.text, "+") || strings.HasPrefix(a.text, "-C") {
			x.unclear("The option %s of cargo may run something else.", a.text)
		}
	}
	switch sub := k.sub(); sub {
	case "test", "t", "build", "b", "check", "c", "clippy", "fmt", "doc", "bench", "clean", "nextest":
		k.parse(&spec{loose: true, write: "--target-dir --artifact-dir --out-dir", read: "--manifest-path", value: "-p -j --package --features --profile --test --bin --example --bench --target --jobs --message-format --exclude --color"})
		k.builds("cargo " + sub)
	case "tree", "metadata", "version", "pkgid", "locate-project", "verify-project":
		k.builds("cargo " + sub) // the project names the compiler that is asked
	case "run", "r":
		x.r.opaque = true
		x.unclear("What cargo run runs is not known.")
		k.builds("cargo run")
	case "install", "add", "update", "fetch", "search", "publish", "login", "yank", "owner", "remove", "generate-lockfile", "vendor":
		x.network("cargo " + sub)
		k.builds("cargo " + sub)
		if oneOf(sub, "publish", "yank", "owner", "install") {
			x.unclear("What cargo %s does is not known.", sub)
		}
	default:
		x.unclear("What cargo %s does is not known.", sub)
	}
}

func dotnet(k *call) {
	if version(k) {
		return
	}
	switch sub := k.sub(); sub {
	case "build", "test", "clean", "format", "pack":
		k.builds("dotnet " + sub)
	case "restore", "add", "nuget", "publish", "tool", "workload":
		k.x.network("dotnet " + sub)
		k.builds("dotnet " + sub)
		if sub != "restore" && sub != "add" {
			k.x.unclear("What dotnet %s does is not known.", sub)
		}
	default:
		k.x.r.opaque = true
		k.x.unclear("What dotnet %s does is not known.", sub)
	}
}

// docker judges containers: looking is harmless; whatever runs in one has the rights of
// the one who runs docker, which are those of root.
func docker(k *call) {
	x := k.x
	if version(k) {
		return
	}
	if len(k.args) > 0 && len(k.args[0].text) > 0 && k.args[0].text[0] == '-' {
		x.unclear("With %s, %s may reach another machine.", k.args[0].text, k.name)
		x.network(k.name)
	}
	sub := k.sub()
	switch sub {
	case "container", "image", "volume", "network", "system", "compose", "buildx":
		sub += " " + k.sub()
	}
	switch sub {
	case "ps", "images", "logs", "inspect", "version", "info", "top", "stats", "port", "diff", "history", "container ls", "container inspect", "image ls", "image inspect",
		"volume ls", "volume inspect", "network ls", "network inspect", "system df", "system info", "compose ps", "compose logs", "compose config", "compose ls", "events":
		k.parse(&spec{value: "--format -n --tail --since --until --filter --type", options: "-a -q -l -s -f -t --all --quiet --latest --size --follow --timestamps --no-trunc --no-stream --details --digests --services --status"})
		return
	case "system prune", "volume prune", "volume rm", "image prune", "container prune", "compose down", "rm", "rmi", "volume remove", "container rm", "image rm":
		if strings.Contains(sub, "volume") || strings.Contains(sub, "prune") || k.any("-v", "--volumes", "-f", "--force") {
			x.danger("%s %s removes containers, images or what they hold.", k.name, sub)
		}
	case "pull", "push", "login", "search", "build", "buildx build", "compose up", "compose pull", "compose build":
		x.network(k.name)
	}
	x.r.opaque = true
	x.unclear("What %s %s runs has the rights of the system.", k.name, sub)
	if strings.Contains(sub, "run") || strings.Contains(sub, "exec") || sub == "create" {
		for i, a := range k.args {
			host, _, _ := strings.Cut(a.text, ":")
			mount := i > 0 && oneOf(k.args[i-1].text, "-v", "--volume") || strings.Contains(a.text, "src=/,") || strings.Contains(a.text, "source=/,") || strings.HasPrefix(a.text, "-v/:")
			if a.text == "--privileged" || strings.Contains(a.text, "docker.sock") || oneOf(a.text, "--pid=host") || mount && (host == "/" || strings.Contains(a.text, "=/,") || host == "-v/") {
				x.danger("It gives a container the whole machine.")
			}
		}
	}
	k.hidden(k.args)
	k.leftovers()
}

func kubectl(k *call) {
	if version(k) {
		return
	}
	k.x.network("kubectl")
	k.x.r.opaque = true
	sub := k.sub()
	switch sub {
	case "get", "describe", "logs", "top", "explain", "api-resources", "version", "cluster-info":
		k.x.r.writes = true // what it asks leaves the machine
		k.parse(&spec{loose: true, other: "--kubeconfig -s --server --token --as"})
	case "delete", "drain", "replace":
		k.x.danger("kubectl %s destroys what is elsewhere.", sub)
	default:
		k.x.unclear("What kubectl %s does is not known.", sub)
		k.hidden(k.args)
	}
}

func systemctl(k *call) {
	sub := k.sub()
	if oneOf(sub, "status", "list-units", "list-unit-files", "is-active", "is-enabled", "is-failed", "show", "cat", "list-timers", "list-sockets", "") && !k.any("-H", "--host", "-M", "--machine") {
		k.parse(&spec{value: "-n -t -p -o --lines --type --property --state --output", options: "-a -l -q --all --full --quiet --failed --user --system --no-pager --no-legend --plain --value --recursive --reverse"})
		return
	}
	k.x.danger("systemctl %s changes what runs on the machine.", sub)
}
