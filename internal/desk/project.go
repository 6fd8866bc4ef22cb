package desk

// ProjectStatus is where a project stands.
type ProjectStatus string

// The values of ProjectStatus.
const (
	ProjectActive   ProjectStatus = "ACTIVE"
	ProjectArchived ProjectStatus = "ARCHIVED"
	ProjectTemplate ProjectStatus = "TEMPLATE"
)

// Project is the kind of projects, which the other records belong to.
const Project Kind = "project"

// A ProjectBody is a project.
type ProjectBody struct {
	Name        string            `json:"name"`
	Description string            `json:"description,omitempty"`
	Status      ProjectStatus     `json:"status"`
	Tags        []string          `json:"tags,omitempty"`
	Metadata    map[string]string `json:"metadata,omitempty"`
}

// Check implements [Thing].
func (p *ProjectBody) Check() error {
	p.Name = named(p.Name)
	orDefault(&p.Status, ProjectActive)
	return firstOf(required("name", p.Name), oneOf("status", p.Status, []ProjectStatus{ProjectActive, ProjectArchived, ProjectTemplate}))
}
func (p *ProjectBody) identity() string { return p.Name }
func (p *ProjectBody) title() string    { return p.Name }
func (p *ProjectBody) status() string   { return string(p.Status) }
func (p *ProjectBody) refs() []Ref      { return nil }

func (*ProjectBody) facets() facets {
	return facets{
		kind:      Project,
		prefix:    "prj",
		word:      "project",
		unique:    true,
		unwatched: true,
	}
}
