// Command oracle prints what real libraries send for the chains of dbapi's
// render test, one "name<TAB>SQL" a line, and how they name tables. It opens
// no connection.
package main

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"strings"
	"time"

	sq "github.com/Masterminds/squirrel"
	"github.com/doug-martin/goqu/v9"
	_ "github.com/doug-martin/goqu/v9/dialect/postgres"
	"github.com/doug-martin/goqu/v9/exp"
	"github.com/gobuffalo/pop/v6"
	"github.com/jinzhu/inflection"
	"github.com/jmoiron/sqlx"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"
	"gorm.io/driver/postgres"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
	"gorm.io/gorm/logger"
	"gorm.io/gorm/schema"
)

// An Order is a plain model, an Invoice one whose rows are only marked as
// deleted.
type Order struct {
	ID         int64
	CustomerID int64
	Status     string
	UpdatedAt  time.Time
}

// An Invoice is a model with gorm's own columns.
type Invoice struct {
	gorm.Model
	Number string
}

// A Ledger is a model of bun.
type Ledger struct {
	bun.BaseModel `bun:"table:core.ledgers,alias:l"`
	ID            int64  `bun:"id,pk"`
	Name          string `bun:"name"`
}

// An Exporter is one whose table, in another schema, is given no alias.
type Exporter struct {
	bun.BaseModel `bun:"table:_system.exporters"`
	ID            string `bun:"id,pk"`
}

// A Wallet is a model of pop.
type Wallet struct {
	ID      int64 `db:"id"`
	Balance int64 `db:"balance"`
}

type offline struct{}

func (offline) Connect(context.Context) (driver.Conn, error) { return nil, errors.New("offline") }
func (offline) Driver() driver.Driver                        { return nil }

func main() {
	db := sql.OpenDB(offline{})
	gormCases(db)
	squirrelCases()
	bunCases(db)
	goquCases()
	popCases()
	namedCases()
	names()
}

func put(name, text string) { fmt.Printf("%s\t%s\n", name, strings.Join(strings.Fields(text), " ")) }

func gormCases(conn *sql.DB) {
	root, err := gorm.Open(postgres.New(postgres.Config{Conn: conn}), &gorm.Config{Logger: logger.Discard, DryRun: true, DisableAutomaticPing: true, SkipDefaultTransaction: true})
	if err != nil {
		panic(err)
	}
	id := int64(7)
	for _, c := range []struct {
		name string
		do   func(db *gorm.DB) *gorm.DB
	}{
		{"gorm/first for update", func(db *gorm.DB) *gorm.DB {
			return db.Clauses(clause.Locking{Strength: "UPDATE"}).Where("id = ?", id).First(&Order{})
		}},
		{"gorm/skip locked of", func(db *gorm.DB) *gorm.DB {
			return db.Clauses(clause.Locking{Strength: "UPDATE", Options: "SKIP LOCKED", Table: clause.Table{Name: "orders"}}).Where("status = ?", "x").Order("id").Limit(10).Find(&[]Order{})
		}},
		{"gorm/current table", func(db *gorm.DB) *gorm.DB {
			return db.Clauses(clause.Locking{Strength: "SHARE", Table: clause.Table{Name: clause.CurrentTable}}).Take(&Order{}, id)
		}},
		{"gorm/soft", func(db *gorm.DB) *gorm.DB {
			return db.Where("number = ?", "a").Or("number = ?", "b").Find(&[]Invoice{})
		}},
		{"gorm/unscoped", func(db *gorm.DB) *gorm.DB { return db.Unscoped().Find(&[]Invoice{}, "number = ?", "a") }},
		{"gorm/in", func(db *gorm.DB) *gorm.DB { return db.Where("id IN ?", []int64{1, 2}).Find(&[]Order{}) }},
		{"gorm/map", func(db *gorm.DB) *gorm.DB {
			return db.Where(map[string]any{"status": "x", "customer_id": 3}).Find(&[]Order{})
		}},
		{"gorm/struct", func(db *gorm.DB) *gorm.DB { return db.Where(&Order{CustomerID: 3, Status: "x"}).Find(&[]Order{}) }},
		{"gorm/not", func(db *gorm.DB) *gorm.DB { return db.Not("status = ?", "x").Find(&[]Order{}) }},
		{"gorm/joins", func(db *gorm.DB) *gorm.DB {
			return db.Table("orders").Select("orders.id").Joins("JOIN customers ON customers.id = orders.customer_id").Where("customers.name = ?", "x").Scan(&[]Order{})
		}},
		{"gorm/count", func(db *gorm.DB) *gorm.DB { var n int64; return db.Model(&Order{}).Where("status = ?", "x").Count(&n) }},
		{"gorm/pluck", func(db *gorm.DB) *gorm.DB { var s []string; return db.Model(&Order{}).Pluck("status", &s) }},
		{"gorm/update", func(db *gorm.DB) *gorm.DB { return db.Model(&Order{}).Where("id = ?", id).Update("status", "x") }},
		{"gorm/update column", func(db *gorm.DB) *gorm.DB { return db.Model(&Order{ID: id}).UpdateColumn("status", "x") }},
		{"gorm/updates map", func(db *gorm.DB) *gorm.DB {
			return db.Model(&Order{}).Where("id = ?", id).Updates(map[string]any{"status": "x", "customer_id": 1})
		}},
		{"gorm/expr", func(db *gorm.DB) *gorm.DB {
			return db.Model(&Order{}).Where("id = ?", id).UpdateColumn("customer_id", gorm.Expr("customer_id + ?", 1))
		}},
		{"gorm/save", func(db *gorm.DB) *gorm.DB { return db.Save(&Order{ID: id, Status: "x"}) }},
		{"gorm/delete", func(db *gorm.DB) *gorm.DB { return db.Where("id = ?", id).Delete(&Order{}) }},
		{"gorm/delete key", func(db *gorm.DB) *gorm.DB { return db.Delete(&Order{}, id) }},
		{"gorm/delete soft", func(db *gorm.DB) *gorm.DB { return db.Delete(&Invoice{}, id) }},
		{"gorm/raw", func(db *gorm.DB) *gorm.DB {
			return db.Raw("SELECT pg_advisory_xact_lock(?, @k)", 1, sql.Named("k", 2)).Scan(&[]Order{})
		}},
		{"gorm/group", func(db *gorm.DB) *gorm.DB {
			return db.Where(db.Where("status = ?", "a").Or("status = ?", "b")).Where("id > ?", 1).Find(&[]Order{})
		}},
		{"gorm/conflict", func(db *gorm.DB) *gorm.DB {
			return db.Clauses(clause.OnConflict{Columns: []clause.Column{{Name: "id"}}, DoUpdates: clause.AssignmentColumns([]string{"status"})}).Create(&Order{ID: 1, Status: "x"})
		}},
		{"gorm/conflict nothing", func(db *gorm.DB) *gorm.DB {
			return db.Clauses(clause.OnConflict{DoNothing: true}).Create(&Order{ID: 1, Status: "x"})
		}},
		{"gorm/subquery", func(db *gorm.DB) *gorm.DB {
			return db.Where("customer_id IN (?)", db.Table("customers").Select("id").Where("name = ?", "x")).Find(&[]Order{})
		}},
		{"gorm/schema", func(db *gorm.DB) *gorm.DB { return db.Table("core.orders").Where("id = ?", id).Find(&[]Order{}) }},
	} {
		tx := c.do(root.Session(&gorm.Session{NewDB: true}))
		put(c.name, tx.Statement.SQL.String())
	}
}

func squirrelCases() {
	st := sq.StatementBuilder.PlaceholderFormat(sq.Dollar)
	for _, c := range []struct {
		name string
		q    sq.Sqlizer
	}{
		{"squirrel/for update", st.Select("id", "status").From("orders").Where(sq.Eq{"id": 7}).Suffix("FOR UPDATE")},
		{"squirrel/eq", st.Select("*").From("orders o").Where(sq.Eq{"status": []string{"a", "b"}, "gone": nil})},
		{"squirrel/or", st.Select("*").From("orders").Where(sq.Or{sq.Eq{"id": 1}, sq.Lt{"id": 2}}).Where("status = ?", "x")},
		{"squirrel/expr", st.Select("*").From("orders").Where(sq.Expr("id = ANY(?)", "{1}")).OrderBy("id").Limit(3)},
		{"squirrel/join", st.Select("o.id").From("orders o").LeftJoin("customers c ON c.id = o.customer_id AND c.name = ?", "x").GroupBy("o.id").Having("count(*) > ?", 1)},
		{"squirrel/insert", st.Insert("orders").Columns("id", "status").Values(1, "x").Values(2, "y").Suffix("ON CONFLICT DO NOTHING")},
		{"squirrel/insert map", st.Insert("orders").SetMap(map[string]any{"id": 1, "status": "x"})},
		{"squirrel/update", st.Update("orders").Set("status", "x").Set("n", sq.Expr("n + ?", 1)).Where(sq.Eq{"id": 7})},
		{"squirrel/delete", st.Delete("orders").Where("id = ? AND flags ?? 'a'", 7)},
		{"squirrel/prefix", st.Select("*").Prefix("WITH x AS (SELECT ?)", 1).From("x")},
		{"squirrel/from select", st.Select("*").FromSelect(sq.Select("id").From("orders").Where("id > ?", 1), "t")},
	} {
		text, _, err := c.q.ToSql()
		if err != nil {
			panic(err)
		}
		put(c.name, text)
	}
}

func bunCases(conn *sql.DB) {
	db := bun.NewDB(conn, pgdialect.New())
	for _, c := range []struct {
		name string
		q    fmt.Stringer
	}{
		{"bun/for update", db.NewSelect().Model((*Ledger)(nil)).Column("id").Where("id = ?", 7).For("UPDATE")},
		{"bun/skip locked", db.NewSelect().Model((*Ledger)(nil)).Column("id").Where("name IN (?)", bun.In([]string{"a", "b"})).OrderExpr("id").Limit(5).For("UPDATE SKIP LOCKED")},
		{"bun/table", db.NewSelect().Table("orders").ColumnExpr("count(*)").Where("id = ?", 7).WhereOr("id = ?", 8)},
		{"bun/table expr", db.NewSelect().TableExpr("core.orders AS o").Join("JOIN customers AS c").JoinOn("c.id = o.customer_id").ColumnExpr("o.id").Where("c.name = ?", "x")},
		{"bun/update", db.NewUpdate().Model((*Ledger)(nil)).Set("name = ?", "x").Where("id = ?", 7)},
		{"bun/delete", db.NewDelete().Model((*Ledger)(nil)).Where("id = ?0 OR id = ?0", 7)},
		{"bun/insert", db.NewInsert().Model(&Ledger{ID: 1, Name: "x"}).On("CONFLICT (id) DO UPDATE").Set("name = EXCLUDED.name")},
		{"bun/pk", db.NewSelect().Model(&Ledger{ID: 7}).Column("name").WherePK().For("UPDATE")},
		{"bun/no alias", db.NewSelect().Model(&Exporter{ID: "x"}).Column("id").WherePK().For("UPDATE")},
		{"bun/raw", db.NewRaw("SELECT pg_advisory_xact_lock(?, ?)", 1, 2)},
		{"bun/group", db.NewSelect().Table("orders").ColumnExpr("id").Where("a = ?", 1).WhereGroup(" AND ", func(q *bun.SelectQuery) *bun.SelectQuery {
			return q.Where("b = ?", 2).WhereOr("c = ?", 3)
		})},
	} {
		put(c.name, c.q.String())
	}
}

func goquCases() {
	d := goqu.Dialect("postgres")
	for _, c := range []struct {
		name string
		q    interface {
			ToSQL() (string, []any, error)
		}
	}{
		{"goqu/for update", d.From("orders").Select("id").Where(goqu.C("id").Eq(7)).ForUpdate(exp.SkipLocked).Prepared(true)},
		{"goqu/ex", d.From("orders").Where(goqu.Ex{"status": "x"}).Order(goqu.C("id").Asc()).Prepared(true)},
		{"goqu/update", d.Update("orders").Set(goqu.Record{"status": "x"}).Where(goqu.C("id").Eq(7)).Prepared(true)},
		{"goqu/delete", d.Delete("orders").Where(goqu.C("id").In(1, 2)).Prepared(true)},
		{"goqu/insert", d.Insert("orders").Rows(goqu.Record{"id": 1, "status": "x"}).OnConflict(goqu.DoNothing()).Prepared(true)},
	} {
		text, _, err := c.q.ToSQL()
		if err != nil {
			panic(err)
		}
		put(c.name, text)
	}
}

func popCases() {
	c, err := pop.NewConnection(&pop.ConnectionDetails{Dialect: "postgres", URL: "postgres://x@localhost/x"})
	if err != nil {
		panic(err)
	}
	m := pop.NewModel(&Wallet{}, context.Background())
	for _, t := range []struct {
		name string
		q    *pop.Query
	}{
		{"pop/where", c.Where("balance > ?", 1).Order("id")},
		{"pop/raw", c.RawQuery("SELECT * FROM wallets WHERE id = ? FOR UPDATE", 1)},
	} {
		text, _ := t.q.ToSQL(m)
		put(t.name, text)
	}
}

func namedCases() {
	text, _, err := sqlx.Named("UPDATE orders SET status = :status WHERE id = :id AND status <> :status", map[string]any{"id": 1, "status": "x"})
	if err != nil {
		panic(err)
	}
	put("sqlx/named", sqlx.Rebind(sqlx.DOLLAR, text))
}

func names() {
	strategy := schema.NamingStrategy{}
	for _, n := range strings.Fields(`Order OrderStatus Person Child Address Category Box Branch Quiz Ox Mouse Matrix Index Analysis Datum
		Medium Tomato Bus Alias Virus Axis Shelf Wife Half News Series Sheep Money Equipment Information UserID HTTPServer APIKey
		OAuth2Token SHA256Sum URLPath MyURL IDs X AB ABc Move Sex Man Woman Human Staff Day Key Policy Company CanvasNode
		OrgUser JSONDoc UTF8Text Company_User UserUUID Fee Leaf Photo Hero Gas Status Process Media Stadium Criterion Foot Tooth
		HTTPSPort UIColor UIDMap Men Children Photos Oxen Boxes People OrderItem DeadLetter Hive Knife`) {
		fmt.Printf("name/%s\t%s %s %s\n", n, strategy.TableName(n), strategy.ColumnName("", n), inflection.Plural(n))
	}
}
