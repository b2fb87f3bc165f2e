// Package table is what go-jet generates for the tables.
package table

import "github.com/go-jet/jet/v2/postgres"

var Accounts = newAccountsTable("public", "accounts", "")

type accountsTable struct {
	postgres.Table

	// Columns
	ID      postgres.ColumnInteger
	Owner   postgres.ColumnString
	Balance postgres.ColumnInteger

	AllColumns     postgres.ColumnList
	MutableColumns postgres.ColumnList
	DefaultColumns postgres.ColumnList
}

type AccountsTable struct {
	accountsTable

	EXCLUDED accountsTable
}

// AS creates new AccountsTable with assigned alias
func (a AccountsTable) AS(alias string) *AccountsTable {
	return newAccountsTable(a.SchemaName(), a.TableName(), alias)
}

func newAccountsTable(schemaName, tableName, alias string) *AccountsTable {
	return &AccountsTable{
		accountsTable: newAccountsTableImpl(schemaName, tableName, alias),
		EXCLUDED:      newAccountsTableImpl("", "excluded", ""),
	}
}

func newAccountsTableImpl(schemaName, tableName, alias string) accountsTable {
	var (
		IDColumn       = postgres.IntegerColumn("id")
		OwnerColumn    = postgres.StringColumn("owner")
		BalanceColumn  = postgres.IntegerColumn("balance")
		allColumns     = postgres.ColumnList{IDColumn, OwnerColumn, BalanceColumn}
		mutableColumns = postgres.ColumnList{OwnerColumn, BalanceColumn}
		defaultColumns = postgres.ColumnList{}
	)

	return accountsTable{
		Table: postgres.NewTable(schemaName, tableName, alias, allColumns...),

		//Columns
		ID:      IDColumn,
		Owner:   OwnerColumn,
		Balance: BalanceColumn,

		AllColumns:     allColumns,
		MutableColumns: mutableColumns,
		DefaultColumns: defaultColumns,
	}
}
