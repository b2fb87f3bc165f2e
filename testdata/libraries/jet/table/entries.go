package table

import "github.com/go-jet/jet/v2/postgres"

var Entries = newEntriesTable("public", "entries", "")

type entriesTable struct {
	postgres.Table

	// Columns
	ID        postgres.ColumnInteger
	AccountID postgres.ColumnInteger
	Amount    postgres.ColumnInteger

	AllColumns     postgres.ColumnList
	MutableColumns postgres.ColumnList
	DefaultColumns postgres.ColumnList
}

type EntriesTable struct {
	entriesTable

	EXCLUDED entriesTable
}

// AS creates new EntriesTable with assigned alias
func (a EntriesTable) AS(alias string) *EntriesTable {
	return newEntriesTable(a.SchemaName(), a.TableName(), alias)
}

func newEntriesTable(schemaName, tableName, alias string) *EntriesTable {
	return &EntriesTable{
		entriesTable: newEntriesTableImpl(schemaName, tableName, alias),
		EXCLUDED:     newEntriesTableImpl("", "excluded", ""),
	}
}

func newEntriesTableImpl(schemaName, tableName, alias string) entriesTable {
	var (
		IDColumn        = postgres.IntegerColumn("id")
		AccountIDColumn = postgres.IntegerColumn("account_id")
		AmountColumn    = postgres.IntegerColumn("amount")
		allColumns      = postgres.ColumnList{IDColumn, AccountIDColumn, AmountColumn}
		mutableColumns  = postgres.ColumnList{AccountIDColumn, AmountColumn}
		defaultColumns  = postgres.ColumnList{}
	)

	return entriesTable{
		Table: postgres.NewTable(schemaName, tableName, alias, allColumns...),

		//Columns
		ID:        IDColumn,
		AccountID: AccountIDColumn,
		Amount:    AmountColumn,

		AllColumns:     allColumns,
		MutableColumns: mutableColumns,
		DefaultColumns: defaultColumns,
	}
}
