package prog

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A Pooler is what a connection string tells of a pooler between the program
// and the server.
type Pooler struct {
	Signs []string // the parts that tell it, without names of hosts and users; none: nothing tells
	Sure  bool     // that it pools by transaction; else it may as well keep sessions
}

// Pooler returns what the connection strings in sight tell of the way from c to
// the server. It is sure where each way that c can have been opened is.
func (p *Program) Pooler(c *Conn) Pooler {
	if p.poolers == nil {
		p.poolers = p.connectionStrings()
	}
	if at := c.Root(); at.How == "conn" && at.Opener != nil && at.Parent.How == "unknown" { // dialled
		return p.poolers["conn "+at.Fn.Key+":"+strconv.Itoa(at.Opener.Op.ID)]
	}
	all := p.openedBy(c.source())
	out := Pooler{Sure: true}
	for _, v := range all {
		one := p.poolerOf(v)
		out.Sure = out.Sure && one.Sure
		for _, s := range one.Signs {
			if !slices.Contains(out.Signs, s) {
				out.Signs = append(out.Signs, s)
			}
		}
	}
	return out
}

// poolerOf returns what the connection string of the call that opens a pool
// tells, or that of what the call is given to open it with.
func (p *Program) poolerOf(v *Val) Pooler {
	for open := v.Str; open != ""; open = open[:max(strings.LastIndexByte(open, '@'), 0)] {
		if one, ok := p.poolers[open]; ok {
			return one
		}
	}
	for _, o := range v.Of {
		if o = bare(o); o != nil && o.Kind == VApply && strings.HasPrefix(o.Str, "open ") {
			return p.poolerOf(o)
		}
	}
	return Pooler{}
}

// connectionStrings returns what the connection strings tell, for each call
// that opens a pool or a connection with one that tells something.
func (p *Program) connectionStrings() map[string]Pooler {
	out := map[string]Pooler{}
	x := newEvaluator(p)
	for _, k := range p.keys {
		f := p.Funcs[k]
		visit(f.Body, func(o *Op) {
			if o.Kind != OpCheck || o.How != DSN || o.Conn == nil {
				return
			}
			x.left = maxBinds
			var texts []string
			x.textsOf(x.eval(o.Val, &env{fn: f, uid: k, pure: true}), &texts, 0)
			one := poolerIn(texts)
			if len(one.Signs) == 0 {
				return
			}
			if at := bare(o.Conn); at.Kind == VConn {
				out["conn "+k+":"+at.Str] = one
			} else {
				out[at.Str] = one
			}
		})
	}
	return out
}

// textsOf appends the texts that v is made of, each way that it can have come.
func (x *evaluator) textsOf(v *Val, out *[]string, depth int) {
	v = bare(v)
	if v == nil || depth > maxInside || len(*out) > maxGivers {
		return
	}
	if s, ok := v.AsText(); ok {
		*out = append(*out, s)
		return
	}
	switch v.Kind {
	case VParam:
		x.textsOf(x.handedTo(v), out, depth+1)
		return
	case VField, VGlobal:
		if r := x.stored(v); r != nil && !Equal(r, v) {
			x.textsOf(r, out, depth+1)
		}
		return
	case VInit:
		if strings.HasSuffix(v.Str, ".PreferSimpleProtocol") && v.Of[0].Kind == VConst && v.Of[0].Str == "b:true" {
			*out = append(*out, "prefer_simple_protocol=true")
		}
	case VConcat:
		*out = append(*out, withBlanks(v))
		return
	}
	for _, o := range v.Of {
		x.textsOf(o, out, depth+1)
	}
}

// withBlanks returns a text with a blank for each part that is not known.
func withBlanks(v *Val) string {
	var b strings.Builder
	for _, o := range v.Of {
		s, ok := o.AsText()
		if !ok {
			s = " "
		}
		b.WriteString(s)
	}
	return b.String()
}

// Signs of a pooler in a connection string, as a URL or as words. What the
// client sets for one is what its library asks for behind PgBouncer.
var (
	poolerMode   = regexp.MustCompile(`(?i)\b(?:pool_mode=(?:transaction|statement)|pgbouncer=true)\b`)
	poolerHosted = regexp.MustCompile(`(?i)-pooler\.[\w.-]*neon\.tech|pooler\.supabase\.com:6543`)
	poolerName   = regexp.MustCompile(`(?i)(?:^|//|[@,]|host=)[\w.-]*(pgbouncer|pgcat|odyssey|supavisor|pooler)[\w.-]*(?::\d+)?(?:[/?,\s]|$)`)
	poolerPort   = regexp.MustCompile(`(?i):6432(?:[/?,\s]|$)|\bport=6432\b`)
	poolerClient = regexp.MustCompile(`(?i)\b(?:default_query_exec_mode=(?:exec|simple_protocol)|statement_cache_capacity=0|statement_cache_mode=describe|prefer_simple_protocol=true|binary_parameters=yes)\b`)
)

// poolerIn returns what the texts of a connection string tell. That a server is
// reached by a pooler's name or port, and that the client does without what
// needs a session, is each a sign, both together are sure.
func poolerIn(texts []string) Pooler {
	var out Pooler
	var place, client bool
	for _, s := range texts {
		if m := poolerMode.FindString(s); m != "" {
			out.Signs, out.Sure = append(out.Signs, m), true
		}
		if poolerHosted.MatchString(s) {
			out.Sure = true
		}
		if m := poolerName.FindStringSubmatch(s); m != nil {
			out.Signs, place = append(out.Signs, "host "+m[1]), true
		}
		if poolerPort.MatchString(s) {
			out.Signs, place = append(out.Signs, "port 6432"), true
		}
		if m := poolerClient.FindString(s); m != "" {
			out.Signs, client = append(out.Signs, m), true
		}
	}
	out.Sure = out.Sure || place && client
	return out
}
