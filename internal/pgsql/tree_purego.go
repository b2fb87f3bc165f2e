//go:build !cgo || purego

package pgsql

import pg_query "github.com/sqlc-dev/oliphant"

// The tree of a statement, as the parser makes it.
type (
	A_Const                = pg_query.A_Const
	A_Const_Boolval        = pg_query.A_Const_Boolval
	A_Const_Bsval          = pg_query.A_Const_Bsval
	A_Const_Fval           = pg_query.A_Const_Fval
	A_Const_Ival           = pg_query.A_Const_Ival
	A_Const_Sval           = pg_query.A_Const_Sval
	A_Expr                 = pg_query.A_Expr
	A_Indirection          = pg_query.A_Indirection
	Alias                  = pg_query.Alias
	AlterDatabaseSetStmt   = pg_query.AlterDatabaseSetStmt
	AlterFunctionStmt      = pg_query.AlterFunctionStmt
	AlterObjectSchemaStmt  = pg_query.AlterObjectSchemaStmt
	AlterPolicyStmt        = pg_query.AlterPolicyStmt
	AlterRoleSetStmt       = pg_query.AlterRoleSetStmt
	AlterSeqStmt           = pg_query.AlterSeqStmt
	AlterTableCmd          = pg_query.AlterTableCmd
	AlterTableStmt         = pg_query.AlterTableStmt
	BoolExpr               = pg_query.BoolExpr
	BooleanTest            = pg_query.BooleanTest
	CallStmt               = pg_query.CallStmt
	CaseExpr               = pg_query.CaseExpr
	CaseWhen               = pg_query.CaseWhen
	ClosePortalStmt        = pg_query.ClosePortalStmt
	ClusterStmt            = pg_query.ClusterStmt
	CoalesceExpr           = pg_query.CoalesceExpr
	CollateClause          = pg_query.CollateClause
	ColumnDef              = pg_query.ColumnDef
	ColumnRef              = pg_query.ColumnRef
	CommentStmt            = pg_query.CommentStmt
	CompositeTypeStmt      = pg_query.CompositeTypeStmt
	Constraint             = pg_query.Constraint
	ConstraintsSetStmt     = pg_query.ConstraintsSetStmt
	CopyStmt               = pg_query.CopyStmt
	CreateDomainStmt       = pg_query.CreateDomainStmt
	AlterDomainStmt        = pg_query.AlterDomainStmt
	CreateEnumStmt         = pg_query.CreateEnumStmt
	CreateForeignTableStmt = pg_query.CreateForeignTableStmt
	CreateFunctionStmt     = pg_query.CreateFunctionStmt
	CreatePolicyStmt       = pg_query.CreatePolicyStmt
	CreatePublicationStmt  = pg_query.CreatePublicationStmt
	CreateRangeStmt        = pg_query.CreateRangeStmt
	CreateSchemaStmt       = pg_query.CreateSchemaStmt
	CreateSeqStmt          = pg_query.CreateSeqStmt
	CreateStatsStmt        = pg_query.CreateStatsStmt
	CreateStmt             = pg_query.CreateStmt
	CreateTableAsStmt      = pg_query.CreateTableAsStmt
	CreateTrigStmt         = pg_query.CreateTrigStmt
	DeallocateStmt         = pg_query.DeallocateStmt
	DeclareCursorStmt      = pg_query.DeclareCursorStmt
	DefineStmt             = pg_query.DefineStmt
	DeleteStmt             = pg_query.DeleteStmt
	DiscardStmt            = pg_query.DiscardStmt
	DoStmt                 = pg_query.DoStmt
	DropStmt               = pg_query.DropStmt
	ExecuteStmt            = pg_query.ExecuteStmt
	ExplainStmt            = pg_query.ExplainStmt
	FetchStmt              = pg_query.FetchStmt
	FuncCall               = pg_query.FuncCall
	GroupingSet            = pg_query.GroupingSet
	IndexStmt              = pg_query.IndexStmt
	InsertStmt             = pg_query.InsertStmt
	IntoClause             = pg_query.IntoClause
	JoinExpr               = pg_query.JoinExpr
	JsonArrayAgg           = pg_query.JsonArrayAgg
	JsonArrayConstructor   = pg_query.JsonArrayConstructor
	JsonIsPredicate        = pg_query.JsonIsPredicate
	JsonKeyValue           = pg_query.JsonKeyValue
	JsonObjectAgg          = pg_query.JsonObjectAgg
	JsonObjectConstructor  = pg_query.JsonObjectConstructor
	JsonValueExpr          = pg_query.JsonValueExpr
	List                   = pg_query.List
	LockStmt               = pg_query.LockStmt
	LockingClause          = pg_query.LockingClause
	MergeStmt              = pg_query.MergeStmt
	MergeWhenClause        = pg_query.MergeWhenClause
	MinMaxExpr             = pg_query.MinMaxExpr
	MultiAssignRef         = pg_query.MultiAssignRef
	NamedArgExpr           = pg_query.NamedArgExpr
	Node                   = pg_query.Node
	NullTest               = pg_query.NullTest
	ObjectWithArgs         = pg_query.ObjectWithArgs
	ParamRef               = pg_query.ParamRef
	ParseResult            = pg_query.ParseResult
	PartitionBoundSpec     = pg_query.PartitionBoundSpec
	PartitionCmd           = pg_query.PartitionCmd
	PartitionSpec          = pg_query.PartitionSpec
	PrepareStmt            = pg_query.PrepareStmt
	Query                  = pg_query.Query
	RangeFunction          = pg_query.RangeFunction
	RangeSubselect         = pg_query.RangeSubselect
	RangeTableFunc         = pg_query.RangeTableFunc
	RangeTableSample       = pg_query.RangeTableSample
	RangeVar               = pg_query.RangeVar
	RawStmt                = pg_query.RawStmt
	RefreshMatViewStmt     = pg_query.RefreshMatViewStmt
	ReindexStmt            = pg_query.ReindexStmt
	RenameStmt             = pg_query.RenameStmt
	ResTarget              = pg_query.ResTarget
	ReturnStmt             = pg_query.ReturnStmt
	RowExpr                = pg_query.RowExpr
	RuleStmt               = pg_query.RuleStmt
	SQLValueFunction       = pg_query.SQLValueFunction
	SelectStmt             = pg_query.SelectStmt
	SortBy                 = pg_query.SortBy
	String                 = pg_query.String
	SubLink                = pg_query.SubLink
	TableLikeClause        = pg_query.TableLikeClause
	TransactionStmt        = pg_query.TransactionStmt
	TruncateStmt           = pg_query.TruncateStmt
	TypeCast               = pg_query.TypeCast
	TypeRef                = pg_query.TypeName
	UpdateStmt             = pg_query.UpdateStmt
	VacuumStmt             = pg_query.VacuumStmt
	VariableSetStmt        = pg_query.VariableSetStmt
	ViewStmt               = pg_query.ViewStmt
	WindowDef              = pg_query.WindowDef
	WithClause             = pg_query.WithClause
	XmlExpr                = pg_query.XmlExpr
	XmlSerialize           = pg_query.XmlSerialize
)

// What a Node can hold.
type (
	Node_AArrayExpr             = pg_query.Node_AArrayExpr
	Node_AConst                 = pg_query.Node_AConst
	Node_AExpr                  = pg_query.Node_AExpr
	Node_AIndices               = pg_query.Node_AIndices
	Node_AIndirection           = pg_query.Node_AIndirection
	Node_AStar                  = pg_query.Node_AStar
	Node_AlterDatabaseSetStmt   = pg_query.Node_AlterDatabaseSetStmt
	Node_AlterFunctionStmt      = pg_query.Node_AlterFunctionStmt
	Node_AlterObjectSchemaStmt  = pg_query.Node_AlterObjectSchemaStmt
	Node_AlterPolicyStmt        = pg_query.Node_AlterPolicyStmt
	Node_AlterRoleSetStmt       = pg_query.Node_AlterRoleSetStmt
	Node_AlterSeqStmt           = pg_query.Node_AlterSeqStmt
	Node_AlterTableStmt         = pg_query.Node_AlterTableStmt
	Node_BoolExpr               = pg_query.Node_BoolExpr
	Node_BooleanTest            = pg_query.Node_BooleanTest
	Node_CallStmt               = pg_query.Node_CallStmt
	Node_CaseExpr               = pg_query.Node_CaseExpr
	Node_CaseWhen               = pg_query.Node_CaseWhen
	Node_ClosePortalStmt        = pg_query.Node_ClosePortalStmt
	Node_ClusterStmt            = pg_query.Node_ClusterStmt
	Node_CoalesceExpr           = pg_query.Node_CoalesceExpr
	Node_CollateClause          = pg_query.Node_CollateClause
	Node_ColumnDef              = pg_query.Node_ColumnDef
	Node_ColumnRef              = pg_query.Node_ColumnRef
	Node_CommentStmt            = pg_query.Node_CommentStmt
	Node_CompositeTypeStmt      = pg_query.Node_CompositeTypeStmt
	Node_ConstraintsSetStmt     = pg_query.Node_ConstraintsSetStmt
	Node_CopyStmt               = pg_query.Node_CopyStmt
	Node_CreateDomainStmt       = pg_query.Node_CreateDomainStmt
	Node_AlterDomainStmt        = pg_query.Node_AlterDomainStmt
	Node_CreateEnumStmt         = pg_query.Node_CreateEnumStmt
	Node_CreateForeignTableStmt = pg_query.Node_CreateForeignTableStmt
	Node_CreateFunctionStmt     = pg_query.Node_CreateFunctionStmt
	Node_CreatePolicyStmt       = pg_query.Node_CreatePolicyStmt
	Node_CreatePublicationStmt  = pg_query.Node_CreatePublicationStmt
	Node_CreateRangeStmt        = pg_query.Node_CreateRangeStmt
	Node_CreateSchemaStmt       = pg_query.Node_CreateSchemaStmt
	Node_CreateSeqStmt          = pg_query.Node_CreateSeqStmt
	Node_CreateStatsStmt        = pg_query.Node_CreateStatsStmt
	Node_CreateStmt             = pg_query.Node_CreateStmt
	Node_CreateTableAsStmt      = pg_query.Node_CreateTableAsStmt
	Node_CreateTrigStmt         = pg_query.Node_CreateTrigStmt
	Node_DeallocateStmt         = pg_query.Node_DeallocateStmt
	Node_DeclareCursorStmt      = pg_query.Node_DeclareCursorStmt
	Node_DefineStmt             = pg_query.Node_DefineStmt
	Node_DeleteStmt             = pg_query.Node_DeleteStmt
	Node_DiscardStmt            = pg_query.Node_DiscardStmt
	Node_DoStmt                 = pg_query.Node_DoStmt
	Node_DropStmt               = pg_query.Node_DropStmt
	Node_ExecuteStmt            = pg_query.Node_ExecuteStmt
	Node_ExplainStmt            = pg_query.Node_ExplainStmt
	Node_FetchStmt              = pg_query.Node_FetchStmt
	Node_FuncCall               = pg_query.Node_FuncCall
	Node_GroupingSet            = pg_query.Node_GroupingSet
	Node_IndexStmt              = pg_query.Node_IndexStmt
	Node_InsertStmt             = pg_query.Node_InsertStmt
	Node_JoinExpr               = pg_query.Node_JoinExpr
	Node_JsonArrayAgg           = pg_query.Node_JsonArrayAgg
	Node_JsonArrayConstructor   = pg_query.Node_JsonArrayConstructor
	Node_JsonIsPredicate        = pg_query.Node_JsonIsPredicate
	Node_JsonKeyValue           = pg_query.Node_JsonKeyValue
	Node_JsonObjectAgg          = pg_query.Node_JsonObjectAgg
	Node_JsonObjectConstructor  = pg_query.Node_JsonObjectConstructor
	Node_JsonValueExpr          = pg_query.Node_JsonValueExpr
	Node_List                   = pg_query.Node_List
	Node_LockStmt               = pg_query.Node_LockStmt
	Node_MergeStmt              = pg_query.Node_MergeStmt
	Node_MinMaxExpr             = pg_query.Node_MinMaxExpr
	Node_MultiAssignRef         = pg_query.Node_MultiAssignRef
	Node_NamedArgExpr           = pg_query.Node_NamedArgExpr
	Node_NotifyStmt             = pg_query.Node_NotifyStmt
	Node_NullTest               = pg_query.Node_NullTest
	Node_ParamRef               = pg_query.Node_ParamRef
	Node_PrepareStmt            = pg_query.Node_PrepareStmt
	Node_RangeFunction          = pg_query.Node_RangeFunction
	Node_RangeSubselect         = pg_query.Node_RangeSubselect
	Node_RangeTableFunc         = pg_query.Node_RangeTableFunc
	Node_RangeTableSample       = pg_query.Node_RangeTableSample
	Node_RangeVar               = pg_query.Node_RangeVar
	Node_RefreshMatViewStmt     = pg_query.Node_RefreshMatViewStmt
	Node_ReindexStmt            = pg_query.Node_ReindexStmt
	Node_RenameStmt             = pg_query.Node_RenameStmt
	Node_ResTarget              = pg_query.Node_ResTarget
	Node_ReturnStmt             = pg_query.Node_ReturnStmt
	Node_RowExpr                = pg_query.Node_RowExpr
	Node_RuleStmt               = pg_query.Node_RuleStmt
	Node_SelectStmt             = pg_query.Node_SelectStmt
	Node_SetToDefault           = pg_query.Node_SetToDefault
	Node_SortBy                 = pg_query.Node_SortBy
	Node_SqlvalueFunction       = pg_query.Node_SqlvalueFunction
	Node_String_                = pg_query.Node_String_
	Node_SubLink                = pg_query.Node_SubLink
	Node_TableLikeClause        = pg_query.Node_TableLikeClause
	Node_TransactionStmt        = pg_query.Node_TransactionStmt
	Node_TruncateStmt           = pg_query.Node_TruncateStmt
	Node_TypeCast               = pg_query.Node_TypeCast
	Node_UpdateStmt             = pg_query.Node_UpdateStmt
	Node_VacuumStmt             = pg_query.Node_VacuumStmt
	Node_VariableSetStmt        = pg_query.Node_VariableSetStmt
	Node_ViewStmt               = pg_query.Node_ViewStmt
	Node_WindowDef              = pg_query.Node_WindowDef
	Node_XmlExpr                = pg_query.Node_XmlExpr
	Node_XmlSerialize           = pg_query.Node_XmlSerialize
)

// The enumerations of the tree.
type (
	AlterTableType        = pg_query.AlterTableType
	BoolExprType          = pg_query.BoolExprType
	CmdType               = pg_query.CmdType
	ConstrType            = pg_query.ConstrType
	FunctionParameterMode = pg_query.FunctionParameterMode
	LimitOption           = pg_query.LimitOption
	LockClauseStrength    = pg_query.LockClauseStrength
	LockWaitPolicy        = pg_query.LockWaitPolicy
	NullTestType          = pg_query.NullTestType
	ObjectType            = pg_query.ObjectType
)

// Values of the enumerations.
const (
	A_Expr_Kind_AEXPR_OP                      = pg_query.A_Expr_Kind_AEXPR_OP
	A_Expr_Kind_AEXPR_OP_ANY                  = pg_query.A_Expr_Kind_AEXPR_OP_ANY
	A_Expr_Kind_AEXPR_OP_ALL                  = pg_query.A_Expr_Kind_AEXPR_OP_ALL
	A_Expr_Kind_AEXPR_DISTINCT                = pg_query.A_Expr_Kind_AEXPR_DISTINCT
	A_Expr_Kind_AEXPR_NOT_DISTINCT            = pg_query.A_Expr_Kind_AEXPR_NOT_DISTINCT
	A_Expr_Kind_AEXPR_NULLIF                  = pg_query.A_Expr_Kind_AEXPR_NULLIF
	A_Expr_Kind_AEXPR_IN                      = pg_query.A_Expr_Kind_AEXPR_IN
	A_Expr_Kind_AEXPR_LIKE                    = pg_query.A_Expr_Kind_AEXPR_LIKE
	A_Expr_Kind_AEXPR_ILIKE                   = pg_query.A_Expr_Kind_AEXPR_ILIKE
	A_Expr_Kind_AEXPR_BETWEEN                 = pg_query.A_Expr_Kind_AEXPR_BETWEEN
	A_Expr_Kind_AEXPR_NOT_BETWEEN             = pg_query.A_Expr_Kind_AEXPR_NOT_BETWEEN
	A_Expr_Kind_AEXPR_BETWEEN_SYM             = pg_query.A_Expr_Kind_AEXPR_BETWEEN_SYM
	A_Expr_Kind_AEXPR_NOT_BETWEEN_SYM         = pg_query.A_Expr_Kind_AEXPR_NOT_BETWEEN_SYM
	AlterTableType_AT_AddColumn               = pg_query.AlterTableType_AT_AddColumn
	AlterTableType_AT_ColumnDefault           = pg_query.AlterTableType_AT_ColumnDefault
	AlterTableType_AT_DropNotNull             = pg_query.AlterTableType_AT_DropNotNull
	AlterTableType_AT_SetNotNull              = pg_query.AlterTableType_AT_SetNotNull
	AlterTableType_AT_DropExpression          = pg_query.AlterTableType_AT_DropExpression
	AlterTableType_AT_SetStatistics           = pg_query.AlterTableType_AT_SetStatistics
	AlterTableType_AT_SetOptions              = pg_query.AlterTableType_AT_SetOptions
	AlterTableType_AT_ResetOptions            = pg_query.AlterTableType_AT_ResetOptions
	AlterTableType_AT_DropColumn              = pg_query.AlterTableType_AT_DropColumn
	AlterTableType_AT_AddConstraint           = pg_query.AlterTableType_AT_AddConstraint
	AlterTableType_AT_AlterConstraint         = pg_query.AlterTableType_AT_AlterConstraint
	AlterTableType_AT_ValidateConstraint      = pg_query.AlterTableType_AT_ValidateConstraint
	AlterTableType_AT_DropConstraint          = pg_query.AlterTableType_AT_DropConstraint
	AlterTableType_AT_AlterColumnType         = pg_query.AlterTableType_AT_AlterColumnType
	AlterTableType_AT_ChangeOwner             = pg_query.AlterTableType_AT_ChangeOwner
	AlterTableType_AT_ClusterOn               = pg_query.AlterTableType_AT_ClusterOn
	AlterTableType_AT_DropCluster             = pg_query.AlterTableType_AT_DropCluster
	AlterTableType_AT_SetTableSpace           = pg_query.AlterTableType_AT_SetTableSpace
	AlterTableType_AT_SetRelOptions           = pg_query.AlterTableType_AT_SetRelOptions
	AlterTableType_AT_ResetRelOptions         = pg_query.AlterTableType_AT_ResetRelOptions
	AlterTableType_AT_EnableTrig              = pg_query.AlterTableType_AT_EnableTrig
	AlterTableType_AT_EnableAlwaysTrig        = pg_query.AlterTableType_AT_EnableAlwaysTrig
	AlterTableType_AT_EnableReplicaTrig       = pg_query.AlterTableType_AT_EnableReplicaTrig
	AlterTableType_AT_DisableTrig             = pg_query.AlterTableType_AT_DisableTrig
	AlterTableType_AT_EnableTrigAll           = pg_query.AlterTableType_AT_EnableTrigAll
	AlterTableType_AT_DisableTrigAll          = pg_query.AlterTableType_AT_DisableTrigAll
	AlterTableType_AT_EnableTrigUser          = pg_query.AlterTableType_AT_EnableTrigUser
	AlterTableType_AT_DisableTrigUser         = pg_query.AlterTableType_AT_DisableTrigUser
	AlterTableType_AT_AddInherit              = pg_query.AlterTableType_AT_AddInherit
	AlterTableType_AT_DropInherit             = pg_query.AlterTableType_AT_DropInherit
	AlterTableType_AT_ReplicaIdentity         = pg_query.AlterTableType_AT_ReplicaIdentity
	AlterTableType_AT_EnableRowSecurity       = pg_query.AlterTableType_AT_EnableRowSecurity
	AlterTableType_AT_DisableRowSecurity      = pg_query.AlterTableType_AT_DisableRowSecurity
	AlterTableType_AT_AttachPartition         = pg_query.AlterTableType_AT_AttachPartition
	AlterTableType_AT_DetachPartition         = pg_query.AlterTableType_AT_DetachPartition
	AlterTableType_AT_DetachPartitionFinalize = pg_query.AlterTableType_AT_DetachPartitionFinalize
	AlterTableType_AT_AddIdentity             = pg_query.AlterTableType_AT_AddIdentity
	AlterTableType_AT_DropIdentity            = pg_query.AlterTableType_AT_DropIdentity
	BoolExprType_AND_EXPR                     = pg_query.BoolExprType_AND_EXPR
	BoolExprType_OR_EXPR                      = pg_query.BoolExprType_OR_EXPR
	BoolExprType_NOT_EXPR                     = pg_query.BoolExprType_NOT_EXPR
	CmdType_CMD_UPDATE                        = pg_query.CmdType_CMD_UPDATE
	CmdType_CMD_INSERT                        = pg_query.CmdType_CMD_INSERT
	CmdType_CMD_DELETE                        = pg_query.CmdType_CMD_DELETE
	CoercionForm_COERCE_IMPLICIT_CAST         = pg_query.CoercionForm_COERCE_IMPLICIT_CAST
	CoercionForm_COERCE_SQL_SYNTAX            = pg_query.CoercionForm_COERCE_SQL_SYNTAX
	ConstrType_CONSTR_NULL                    = pg_query.ConstrType_CONSTR_NULL
	ConstrType_CONSTR_NOTNULL                 = pg_query.ConstrType_CONSTR_NOTNULL
	ConstrType_CONSTR_DEFAULT                 = pg_query.ConstrType_CONSTR_DEFAULT
	ConstrType_CONSTR_IDENTITY                = pg_query.ConstrType_CONSTR_IDENTITY
	ConstrType_CONSTR_GENERATED               = pg_query.ConstrType_CONSTR_GENERATED
	ConstrType_CONSTR_CHECK                   = pg_query.ConstrType_CONSTR_CHECK
	ConstrType_CONSTR_PRIMARY                 = pg_query.ConstrType_CONSTR_PRIMARY
	ConstrType_CONSTR_UNIQUE                  = pg_query.ConstrType_CONSTR_UNIQUE
	ConstrType_CONSTR_EXCLUSION               = pg_query.ConstrType_CONSTR_EXCLUSION
	ConstrType_CONSTR_FOREIGN                 = pg_query.ConstrType_CONSTR_FOREIGN
	ConstrType_CONSTR_ATTR_DEFERRABLE         = pg_query.ConstrType_CONSTR_ATTR_DEFERRABLE
	ConstrType_CONSTR_ATTR_NOT_DEFERRABLE     = pg_query.ConstrType_CONSTR_ATTR_NOT_DEFERRABLE
	ConstrType_CONSTR_ATTR_DEFERRED           = pg_query.ConstrType_CONSTR_ATTR_DEFERRED
	ConstrType_CONSTR_ATTR_IMMEDIATE          = pg_query.ConstrType_CONSTR_ATTR_IMMEDIATE
	DiscardMode_DISCARD_ALL                   = pg_query.DiscardMode_DISCARD_ALL
	DropBehavior_DROP_CASCADE                 = pg_query.DropBehavior_DROP_CASCADE
	FunctionParameterMode_FUNC_PARAM_OUT      = pg_query.FunctionParameterMode_FUNC_PARAM_OUT
	FunctionParameterMode_FUNC_PARAM_INOUT    = pg_query.FunctionParameterMode_FUNC_PARAM_INOUT
	FunctionParameterMode_FUNC_PARAM_VARIADIC = pg_query.FunctionParameterMode_FUNC_PARAM_VARIADIC
	FunctionParameterMode_FUNC_PARAM_TABLE    = pg_query.FunctionParameterMode_FUNC_PARAM_TABLE
	// Values of JoinType.
	JoinType_JOIN_LEFT  = pg_query.JoinType_JOIN_LEFT
	JoinType_JOIN_FULL  = pg_query.JoinType_JOIN_FULL
	JoinType_JOIN_RIGHT = pg_query.JoinType_JOIN_RIGHT

	// Values of LimitOption.
	LimitOption_LIMIT_OPTION_DEFAULT = pg_query.LimitOption_LIMIT_OPTION_DEFAULT

	// Values of LockClauseStrength.
	LockClauseStrength_LCS_FORKEYSHARE    = pg_query.LockClauseStrength_LCS_FORKEYSHARE
	LockClauseStrength_LCS_FORSHARE       = pg_query.LockClauseStrength_LCS_FORSHARE
	LockClauseStrength_LCS_FORNOKEYUPDATE = pg_query.LockClauseStrength_LCS_FORNOKEYUPDATE

	// Values of LockWaitPolicy.
	LockWaitPolicy_LockWaitSkip  = pg_query.LockWaitPolicy_LockWaitSkip
	LockWaitPolicy_LockWaitError = pg_query.LockWaitPolicy_LockWaitError

	// Values of MinMaxOp.
	MinMaxOp_IS_GREATEST = pg_query.MinMaxOp_IS_GREATEST
	MinMaxOp_IS_LEAST    = pg_query.MinMaxOp_IS_LEAST

	// Values of NullTestType.
	NullTestType_IS_NULL = pg_query.NullTestType_IS_NULL

	// Values of ObjectType.
	ObjectType_OBJECT_ATTRIBUTE     = pg_query.ObjectType_OBJECT_ATTRIBUTE
	ObjectType_OBJECT_COLUMN        = pg_query.ObjectType_OBJECT_COLUMN
	ObjectType_OBJECT_FOREIGN_TABLE = pg_query.ObjectType_OBJECT_FOREIGN_TABLE
	ObjectType_OBJECT_FUNCTION      = pg_query.ObjectType_OBJECT_FUNCTION
	ObjectType_OBJECT_INDEX         = pg_query.ObjectType_OBJECT_INDEX
	ObjectType_OBJECT_MATVIEW       = pg_query.ObjectType_OBJECT_MATVIEW
	ObjectType_OBJECT_POLICY        = pg_query.ObjectType_OBJECT_POLICY
	ObjectType_OBJECT_PROCEDURE     = pg_query.ObjectType_OBJECT_PROCEDURE
	ObjectType_OBJECT_ROUTINE       = pg_query.ObjectType_OBJECT_ROUTINE
	ObjectType_OBJECT_RULE          = pg_query.ObjectType_OBJECT_RULE
	ObjectType_OBJECT_SCHEMA        = pg_query.ObjectType_OBJECT_SCHEMA
	ObjectType_OBJECT_SEQUENCE      = pg_query.ObjectType_OBJECT_SEQUENCE
	ObjectType_OBJECT_TABCONSTRAINT = pg_query.ObjectType_OBJECT_TABCONSTRAINT
	ObjectType_OBJECT_TABLE         = pg_query.ObjectType_OBJECT_TABLE
	ObjectType_OBJECT_TRIGGER       = pg_query.ObjectType_OBJECT_TRIGGER
	ObjectType_OBJECT_TYPE          = pg_query.ObjectType_OBJECT_TYPE
	ObjectType_OBJECT_OPERATOR      = pg_query.ObjectType_OBJECT_OPERATOR
	ObjectType_OBJECT_AGGREGATE     = pg_query.ObjectType_OBJECT_AGGREGATE
	ObjectType_OBJECT_VIEW          = pg_query.ObjectType_OBJECT_VIEW

	// Values of OnConflictAction.
	OnConflictAction_ONCONFLICT_UPDATE = pg_query.OnConflictAction_ONCONFLICT_UPDATE

	// Values of ReindexObjectType.
	ReindexObjectType_REINDEX_OBJECT_INDEX  = pg_query.ReindexObjectType_REINDEX_OBJECT_INDEX
	ReindexObjectType_REINDEX_OBJECT_TABLE  = pg_query.ReindexObjectType_REINDEX_OBJECT_TABLE
	ReindexObjectType_REINDEX_OBJECT_SCHEMA = pg_query.ReindexObjectType_REINDEX_OBJECT_SCHEMA

	// Values of SetOperation.
	SetOperation_SETOP_NONE = pg_query.SetOperation_SETOP_NONE

	// Values of SortByDir.
	SortByDir_SORTBY_DESC = pg_query.SortByDir_SORTBY_DESC

	// Values of SortByNulls.
	SortByNulls_SORTBY_NULLS_FIRST = pg_query.SortByNulls_SORTBY_NULLS_FIRST
	SortByNulls_SORTBY_NULLS_LAST  = pg_query.SortByNulls_SORTBY_NULLS_LAST

	// Values of SubLinkType.
	SubLinkType_EXISTS_SUBLINK = pg_query.SubLinkType_EXISTS_SUBLINK
	SubLinkType_ANY_SUBLINK    = pg_query.SubLinkType_ANY_SUBLINK
	SubLinkType_EXPR_SUBLINK   = pg_query.SubLinkType_EXPR_SUBLINK

	// Values of TransactionStmtKind.
	TransactionStmtKind_TRANS_STMT_BEGIN       = pg_query.TransactionStmtKind_TRANS_STMT_BEGIN
	TransactionStmtKind_TRANS_STMT_START       = pg_query.TransactionStmtKind_TRANS_STMT_START
	TransactionStmtKind_TRANS_STMT_COMMIT      = pg_query.TransactionStmtKind_TRANS_STMT_COMMIT
	TransactionStmtKind_TRANS_STMT_ROLLBACK    = pg_query.TransactionStmtKind_TRANS_STMT_ROLLBACK
	TransactionStmtKind_TRANS_STMT_SAVEPOINT   = pg_query.TransactionStmtKind_TRANS_STMT_SAVEPOINT
	TransactionStmtKind_TRANS_STMT_RELEASE     = pg_query.TransactionStmtKind_TRANS_STMT_RELEASE
	TransactionStmtKind_TRANS_STMT_ROLLBACK_TO = pg_query.TransactionStmtKind_TRANS_STMT_ROLLBACK_TO
	TransactionStmtKind_TRANS_STMT_PREPARE     = pg_query.TransactionStmtKind_TRANS_STMT_PREPARE

	// Values of VariableSetKind.
	VariableSetKind_VAR_SET_VALUE   = pg_query.VariableSetKind_VAR_SET_VALUE
	VariableSetKind_VAR_SET_DEFAULT = pg_query.VariableSetKind_VAR_SET_DEFAULT
	VariableSetKind_VAR_SET_MULTI   = pg_query.VariableSetKind_VAR_SET_MULTI
	VariableSetKind_VAR_RESET       = pg_query.VariableSetKind_VAR_RESET
	VariableSetKind_VAR_RESET_ALL   = pg_query.VariableSetKind_VAR_RESET_ALL
)
