package pglog

import (
	"encoding/csv"
	"encoding/json"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/pglockdep/pglockdep/internal/lazyregexp"
)

// A Report is one deadlock that the server broke.
type Report struct {
	Line       int // of the log, where it begins
	Waits      []Wait
	Statements map[int]string // by process, as the server had them; cut off where it does so
	Relations  []string       // that the context names, sorted
}

// A Wait is one hop: a process that waits for an object another one holds.
// The first wait of a report is that of the victim.
type Wait struct {
	Process   int
	Mode      string
	Object    Object
	BlockedBy int
}

// An Object is what is waited for.
type Object struct {
	Type     string // advisory, transaction, virtualxid, relation, tuple
	Form     string // advisory: bigint or int4x2
	Key      int64  // advisory of form bigint
	Key1     int32  // advisory of form int4x2
	Key2     int32
	Relation int64  // oid: relation, tuple
	Tuple    string // (block,offset)
	ID       string // transaction, virtualxid
}

// A Log is what was read.
type Log struct {
	Reports []Report
	Bare    []int // lines of reports without their DETAIL: the server logs tersely
	Clients []int // lines on which a program says that there was a deadlock
}

// Read reads a log. It fails only when reading does.
func Read(r io.Reader) (*Log, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	text := strings.TrimPrefix(string(data), "\ufeff")
	l := &Log{}
	switch {
	case strings.HasPrefix(strings.TrimSpace(text), "{") && strings.Contains(text, `"state_code"`):
		l.json(text)
	case csvLine.MatchString(text):
		l.csv(text)
	default:
		l.plain(text)
	}
	return l, nil
}

// sqlstate is the code of a deadlock (manual of version 16, appendix A).
const sqlstate = "40P01"

var csvLine = lazyregexp.New(`^\d{4}-\d\d-\d\d [\d:.]+ [^,\s]+,[^,\n]*,[^,\n]*,\d+,`)

func (l *Log) json(text string) {
	for i, line := range strings.Split(text, "\n") {
		var rec struct {
			Code    string `json:"state_code"`
			Detail  string `json:"detail"`
			Context string `json:"context"`
			Query   string `json:"statement"`
		}
		if json.Unmarshal([]byte(line), &rec) == nil && rec.Code == sqlstate {
			l.record(i+1, rec.Detail, rec.Context)
		}
	}
}

func (l *Log) csv(text string) {
	r := csv.NewReader(strings.NewReader(text))
	r.FieldsPerRecord, r.LazyQuotes = -1, true
	for {
		rec, err := r.Read()
		if err == io.EOF {
			return
		}
		if err != nil {
			continue
		}
		if len(rec) > 18 && rec[12] == sqlstate {
			line, _ := r.FieldPos(0)
			l.record(line, rec[14], rec[18])
		}
	}
}

func (l *Log) record(line int, detail, context string) {
	p := &reading{}
	for _, d := range strings.Split(detail, "\n") {
		p.detail(line, d)
	}
	for _, c := range strings.Split(context, "\n") {
		p.context(c)
	}
	l.add(p)
}

func (l *Log) add(p *reading) {
	if len(p.r.Waits) == 0 {
		return
	}
	for pid, s := range p.r.Statements {
		p.r.Statements[pid] = strings.TrimSpace(s)
	}
	slices.Sort(p.r.Relations)
	p.r.Relations = slices.Compact(p.r.Relations)
	l.Reports = append(l.Reports, p.r)
}

// reading is the report that is being read.
type reading struct {
	r       Report
	process int  // whose statement goes on; 0 for none
	told    bool // statements have begun, no more waits follow
}

var (
	// The names of modes are never translated, the words around them are.
	wait = lazyregexp.New(`(\d+)\D*?(AccessShareLock|RowShareLock|RowExclusiveLock|ShareUpdateExclusiveLock|ShareLock|ShareRowExclusiveLock|ExclusiveLock|AccessExclusiveLock)(.*?[;；].*?)(\d+)\D{0,24}$`)

	statement = lazyregexp.New(`^\s*[^\s\d]+ (\d+) ?: ?(.*)$`)
	advisory  = lazyregexp.New(`\[(\d+),(\d+),(\d+),(\d+)\]`)
	tuple     = lazyregexp.New(`\(\d+,\d+\)`)
	virtual   = lazyregexp.New(`\d+/\d+`)
	number    = lazyregexp.New(`\d+`)
	quoted    = lazyregexp.New(`"([^"]+)"|«\s*([^»]+?)\s*»|„([^“]+)“`)
	inside    = lazyregexp.New(`(?i)\b(?:UPDATE|FROM|INTO)\s+(?:ONLY\s+)?((?:"[^"]+"|[\w$]+)(?:\.(?:"[^"]+"|[\w$]+))?)`)
	severity  = lazyregexp.New(`^\S.*?\p{L}[\p{L} ]*\s?:  ?\S?`)
)

// detail reads one line of a DETAIL and reports whether it belongs to it.
func (p *reading) detail(line int, text string) bool {
	if m := wait.FindStringSubmatch(text); m != nil && !p.told {
		if len(p.r.Waits) == 0 {
			p.r.Line, p.r.Statements = line, map[int]string{}
		}
		pid, _ := strconv.Atoi(m[1])
		by, _ := strconv.Atoi(m[4])
		object, _, _ := strings.Cut(strings.ReplaceAll(m[3], "；", ";"), ";")
		p.r.Waits = append(p.r.Waits, Wait{pid, m[2], objectOf(object), by})
		return true
	}
	if len(p.r.Waits) == 0 {
		return false
	}
	if m := statement.FindStringSubmatch(text); m != nil {
		pid, _ := strconv.Atoi(m[1])
		if slices.ContainsFunc(p.r.Waits, func(w Wait) bool { return w.Process == pid }) {
			p.process, p.told = pid, true
			p.r.Statements[pid] = m[2]
			return true
		}
	}
	if p.process != 0 {
		p.r.Statements[p.process] += "\n" + strings.TrimPrefix(text, "\t")
		return true
	}
	return false
}

// context notes the relations that a line of the CONTEXT names: that of the
// tuple, and those of the statements that triggers and foreign keys run.
func (p *reading) context(text string) {
	if tuple.MatchString(text) {
		if m := quoted.FindStringSubmatch(text); m != nil {
			p.r.Relations = append(p.r.Relations, m[1]+m[2]+m[3])
		}
		return
	}
	for _, m := range inside.FindAllStringSubmatch(text, -1) {
		name := strings.ReplaceAll(m[1], `"`, "")
		p.r.Relations = append(p.r.Relations, name[strings.LastIndexByte(name, '.')+1:])
	}
}

func objectOf(text string) Object {
	if m := advisory.FindStringSubmatch(text); m != nil {
		high, _ := strconv.ParseUint(m[2], 10, 32)
		low, _ := strconv.ParseUint(m[3], 10, 32)
		if m[4] == "2" {
			return Object{Type: "advisory", Form: "int4x2", Key1: int32(uint32(high)), Key2: int32(uint32(low))}
		}
		return Object{Type: "advisory", Form: "bigint", Key: int64(high<<32 | low)}
	}
	if m := tuple.FindString(text); m != "" {
		n := number.FindAllString(strings.Replace(text, m, "", 1), -1)
		o := Object{Type: "tuple", Tuple: m}
		if len(n) > 0 {
			o.Relation, _ = strconv.ParseInt(n[0], 10, 64)
		}
		return o
	}
	if m := virtual.FindString(text); m != "" {
		return Object{Type: "virtualxid", ID: m}
	}
	n := number.FindAllString(text, -1)
	switch len(n) {
	case 0:
		return Object{Type: "other"}
	case 1:
		return Object{Type: "transaction", ID: n[0]}
	}
	o := Object{Type: "relation"}
	o.Relation, _ = strconv.ParseInt(n[0], 10, 64)
	return o
}

// plain reads the log as text. A record begins on a line that begins at the
// margin; the lines of a DETAIL and a CONTEXT below it are indented, save
// where the log lost its prefixes.
func (l *Log) plain(text string) {
	var p *reading
	records := 0 // since the waits
	inContext := false
	bare := 0 // the line that says deadlock, until its waits follow
	flush := func() {
		if p != nil {
			l.add(p)
		}
		p, records, inContext = nil, 0, false
	}
	for i, line := range strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n") {
		indented := strings.HasPrefix(line, "\t") || strings.HasPrefix(line, "  ")
		begins := !indented && severity.MatchString(line)
		if begins {
			if p != nil {
				records++
				p.process = 0
				inContext = true
			}
			if wait.MatchString(line) || records > maxRecords {
				flush()
			}
		}
		if server.MatchString(line) {
			if bare > 0 {
				l.Bare = append(l.Bare, bare)
			}
			bare = i + 1
		} else if wait.MatchString(line) {
			bare = 0
		}
		switch {
		case !begins && p != nil && records == 0 && p.detail(i+1, line):
		case wait.MatchString(line):
			if p == nil || records > 0 {
				flush()
				p = &reading{}
			}
			p.detail(i+1, line)
		case p != nil && inContext && relates(line):
			p.context(line)
		case client.MatchString(line) && !server.MatchString(line):
			l.Clients = append(l.Clients, i+1)
		}
	}
	flush()
	if bare > 0 {
		l.Bare = append(l.Bare, bare)
	}
}

// maxRecords bounds how far the CONTEXT stands behind its DETAIL: a HINT and a
// QUERY lie between.
const maxRecords = 4

// relates reports whether a line is part of a CONTEXT, not of a STATEMENT.
func relates(line string) bool {
	return tuple.MatchString(line) || strings.Contains(line, `SQL statement "`) || strings.HasPrefix(strings.TrimSpace(line), "SQL ")
}

var (
	client = lazyregexp.New(`deadlock detected|40P01`)
	server = lazyregexp.New(`(?:^|[^\w"=])ERROR:  deadlock detected|[A-Z]ERROR:  deadlock detected`)
)
