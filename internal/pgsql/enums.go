package pgsql

import pg_query "github.com/pganalyze/pg_query_go/v5"

// The enumerations of the tree.
type (
	A_Expr_Kind             = pg_query.A_Expr_Kind
	AggSplit                = pg_query.AggSplit
	AggStrategy             = pg_query.AggStrategy
	AlterPublicationAction  = pg_query.AlterPublicationAction
	AlterSubscriptionType   = pg_query.AlterSubscriptionType
	AlterTSConfigType       = pg_query.AlterTSConfigType
	AlterTableType          = pg_query.AlterTableType
	BoolExprType            = pg_query.BoolExprType
	BoolTestType            = pg_query.BoolTestType
	CTEMaterialize          = pg_query.CTEMaterialize
	CmdType                 = pg_query.CmdType
	CoercionContext         = pg_query.CoercionContext
	CoercionForm            = pg_query.CoercionForm
	ConstrType              = pg_query.ConstrType
	DefElemAction           = pg_query.DefElemAction
	DiscardMode             = pg_query.DiscardMode
	DropBehavior            = pg_query.DropBehavior
	FetchDirection          = pg_query.FetchDirection
	FunctionParameterMode   = pg_query.FunctionParameterMode
	GrantTargetType         = pg_query.GrantTargetType
	GroupingSetKind         = pg_query.GroupingSetKind
	ImportForeignSchemaType = pg_query.ImportForeignSchemaType
	JoinType                = pg_query.JoinType
	JsonConstructorType     = pg_query.JsonConstructorType
	JsonEncoding            = pg_query.JsonEncoding
	JsonFormatType          = pg_query.JsonFormatType
	JsonValueType           = pg_query.JsonValueType
	LimitOption             = pg_query.LimitOption
	LockClauseStrength      = pg_query.LockClauseStrength
	LockTupleMode           = pg_query.LockTupleMode
	LockWaitPolicy          = pg_query.LockWaitPolicy
	MinMaxOp                = pg_query.MinMaxOp
	NullTestType            = pg_query.NullTestType
	ObjectType              = pg_query.ObjectType
	OnCommitAction          = pg_query.OnCommitAction
	OnConflictAction        = pg_query.OnConflictAction
	OverridingKind          = pg_query.OverridingKind
	ParamKind               = pg_query.ParamKind
	PartitionRangeDatumKind = pg_query.PartitionRangeDatumKind
	PartitionStrategy       = pg_query.PartitionStrategy
	PublicationObjSpecType  = pg_query.PublicationObjSpecType
	QuerySource             = pg_query.QuerySource
	RTEKind                 = pg_query.RTEKind
	ReindexObjectType       = pg_query.ReindexObjectType
	RoleSpecType            = pg_query.RoleSpecType
	RoleStmtType            = pg_query.RoleStmtType
	RowCompareType          = pg_query.RowCompareType
	SQLValueFunctionOp      = pg_query.SQLValueFunctionOp
	SetOpCmd                = pg_query.SetOpCmd
	SetOpStrategy           = pg_query.SetOpStrategy
	SetOperation            = pg_query.SetOperation
	SetQuantifier           = pg_query.SetQuantifier
	SortByDir               = pg_query.SortByDir
	SortByNulls             = pg_query.SortByNulls
	SubLinkType             = pg_query.SubLinkType
	TableLikeOption         = pg_query.TableLikeOption
	TransactionStmtKind     = pg_query.TransactionStmtKind
	VariableSetKind         = pg_query.VariableSetKind
	ViewCheckOption         = pg_query.ViewCheckOption
	WCOKind                 = pg_query.WCOKind
	XmlExprOp               = pg_query.XmlExprOp
	XmlOptionType           = pg_query.XmlOptionType
)

// Values of A_Expr_Kind.
const (
	A_Expr_Kind_AEXPR_OP              = pg_query.A_Expr_Kind_AEXPR_OP
	A_Expr_Kind_AEXPR_OP_ANY          = pg_query.A_Expr_Kind_AEXPR_OP_ANY
	A_Expr_Kind_AEXPR_OP_ALL          = pg_query.A_Expr_Kind_AEXPR_OP_ALL
	A_Expr_Kind_AEXPR_DISTINCT        = pg_query.A_Expr_Kind_AEXPR_DISTINCT
	A_Expr_Kind_AEXPR_NOT_DISTINCT    = pg_query.A_Expr_Kind_AEXPR_NOT_DISTINCT
	A_Expr_Kind_AEXPR_NULLIF          = pg_query.A_Expr_Kind_AEXPR_NULLIF
	A_Expr_Kind_AEXPR_IN              = pg_query.A_Expr_Kind_AEXPR_IN
	A_Expr_Kind_AEXPR_LIKE            = pg_query.A_Expr_Kind_AEXPR_LIKE
	A_Expr_Kind_AEXPR_ILIKE           = pg_query.A_Expr_Kind_AEXPR_ILIKE
	A_Expr_Kind_AEXPR_SIMILAR         = pg_query.A_Expr_Kind_AEXPR_SIMILAR
	A_Expr_Kind_AEXPR_BETWEEN         = pg_query.A_Expr_Kind_AEXPR_BETWEEN
	A_Expr_Kind_AEXPR_NOT_BETWEEN     = pg_query.A_Expr_Kind_AEXPR_NOT_BETWEEN
	A_Expr_Kind_AEXPR_BETWEEN_SYM     = pg_query.A_Expr_Kind_AEXPR_BETWEEN_SYM
	A_Expr_Kind_AEXPR_NOT_BETWEEN_SYM = pg_query.A_Expr_Kind_AEXPR_NOT_BETWEEN_SYM
)

// Values of AggSplit.
const (
	AggSplit_AGGSPLIT_SIMPLE         = pg_query.AggSplit_AGGSPLIT_SIMPLE
	AggSplit_AGGSPLIT_INITIAL_SERIAL = pg_query.AggSplit_AGGSPLIT_INITIAL_SERIAL
	AggSplit_AGGSPLIT_FINAL_DESERIAL = pg_query.AggSplit_AGGSPLIT_FINAL_DESERIAL
)

// Values of AggStrategy.
const (
	AggStrategy_AGG_PLAIN  = pg_query.AggStrategy_AGG_PLAIN
	AggStrategy_AGG_SORTED = pg_query.AggStrategy_AGG_SORTED
	AggStrategy_AGG_HASHED = pg_query.AggStrategy_AGG_HASHED
	AggStrategy_AGG_MIXED  = pg_query.AggStrategy_AGG_MIXED
)

// Values of AlterPublicationAction.
const (
	AlterPublicationAction_AP_AddObjects  = pg_query.AlterPublicationAction_AP_AddObjects
	AlterPublicationAction_AP_DropObjects = pg_query.AlterPublicationAction_AP_DropObjects
	AlterPublicationAction_AP_SetObjects  = pg_query.AlterPublicationAction_AP_SetObjects
)

// Values of AlterSubscriptionType.
const (
	AlterSubscriptionType_ALTER_SUBSCRIPTION_OPTIONS          = pg_query.AlterSubscriptionType_ALTER_SUBSCRIPTION_OPTIONS
	AlterSubscriptionType_ALTER_SUBSCRIPTION_CONNECTION       = pg_query.AlterSubscriptionType_ALTER_SUBSCRIPTION_CONNECTION
	AlterSubscriptionType_ALTER_SUBSCRIPTION_SET_PUBLICATION  = pg_query.AlterSubscriptionType_ALTER_SUBSCRIPTION_SET_PUBLICATION
	AlterSubscriptionType_ALTER_SUBSCRIPTION_ADD_PUBLICATION  = pg_query.AlterSubscriptionType_ALTER_SUBSCRIPTION_ADD_PUBLICATION
	AlterSubscriptionType_ALTER_SUBSCRIPTION_DROP_PUBLICATION = pg_query.AlterSubscriptionType_ALTER_SUBSCRIPTION_DROP_PUBLICATION
	AlterSubscriptionType_ALTER_SUBSCRIPTION_REFRESH          = pg_query.AlterSubscriptionType_ALTER_SUBSCRIPTION_REFRESH
	AlterSubscriptionType_ALTER_SUBSCRIPTION_ENABLED          = pg_query.AlterSubscriptionType_ALTER_SUBSCRIPTION_ENABLED
	AlterSubscriptionType_ALTER_SUBSCRIPTION_SKIP             = pg_query.AlterSubscriptionType_ALTER_SUBSCRIPTION_SKIP
)

// Values of AlterTSConfigType.
const (
	AlterTSConfigType_ALTER_TSCONFIG_ADD_MAPPING             = pg_query.AlterTSConfigType_ALTER_TSCONFIG_ADD_MAPPING
	AlterTSConfigType_ALTER_TSCONFIG_ALTER_MAPPING_FOR_TOKEN = pg_query.AlterTSConfigType_ALTER_TSCONFIG_ALTER_MAPPING_FOR_TOKEN
	AlterTSConfigType_ALTER_TSCONFIG_REPLACE_DICT            = pg_query.AlterTSConfigType_ALTER_TSCONFIG_REPLACE_DICT
	AlterTSConfigType_ALTER_TSCONFIG_REPLACE_DICT_FOR_TOKEN  = pg_query.AlterTSConfigType_ALTER_TSCONFIG_REPLACE_DICT_FOR_TOKEN
	AlterTSConfigType_ALTER_TSCONFIG_DROP_MAPPING            = pg_query.AlterTSConfigType_ALTER_TSCONFIG_DROP_MAPPING
)

// Values of AlterTableType.
const (
	AlterTableType_AT_AddColumn                 = pg_query.AlterTableType_AT_AddColumn
	AlterTableType_AT_AddColumnToView           = pg_query.AlterTableType_AT_AddColumnToView
	AlterTableType_AT_ColumnDefault             = pg_query.AlterTableType_AT_ColumnDefault
	AlterTableType_AT_CookedColumnDefault       = pg_query.AlterTableType_AT_CookedColumnDefault
	AlterTableType_AT_DropNotNull               = pg_query.AlterTableType_AT_DropNotNull
	AlterTableType_AT_SetNotNull                = pg_query.AlterTableType_AT_SetNotNull
	AlterTableType_AT_DropExpression            = pg_query.AlterTableType_AT_DropExpression
	AlterTableType_AT_CheckNotNull              = pg_query.AlterTableType_AT_CheckNotNull
	AlterTableType_AT_SetStatistics             = pg_query.AlterTableType_AT_SetStatistics
	AlterTableType_AT_SetOptions                = pg_query.AlterTableType_AT_SetOptions
	AlterTableType_AT_ResetOptions              = pg_query.AlterTableType_AT_ResetOptions
	AlterTableType_AT_SetStorage                = pg_query.AlterTableType_AT_SetStorage
	AlterTableType_AT_SetCompression            = pg_query.AlterTableType_AT_SetCompression
	AlterTableType_AT_DropColumn                = pg_query.AlterTableType_AT_DropColumn
	AlterTableType_AT_AddIndex                  = pg_query.AlterTableType_AT_AddIndex
	AlterTableType_AT_ReAddIndex                = pg_query.AlterTableType_AT_ReAddIndex
	AlterTableType_AT_AddConstraint             = pg_query.AlterTableType_AT_AddConstraint
	AlterTableType_AT_ReAddConstraint           = pg_query.AlterTableType_AT_ReAddConstraint
	AlterTableType_AT_ReAddDomainConstraint     = pg_query.AlterTableType_AT_ReAddDomainConstraint
	AlterTableType_AT_AlterConstraint           = pg_query.AlterTableType_AT_AlterConstraint
	AlterTableType_AT_ValidateConstraint        = pg_query.AlterTableType_AT_ValidateConstraint
	AlterTableType_AT_AddIndexConstraint        = pg_query.AlterTableType_AT_AddIndexConstraint
	AlterTableType_AT_DropConstraint            = pg_query.AlterTableType_AT_DropConstraint
	AlterTableType_AT_ReAddComment              = pg_query.AlterTableType_AT_ReAddComment
	AlterTableType_AT_AlterColumnType           = pg_query.AlterTableType_AT_AlterColumnType
	AlterTableType_AT_AlterColumnGenericOptions = pg_query.AlterTableType_AT_AlterColumnGenericOptions
	AlterTableType_AT_ChangeOwner               = pg_query.AlterTableType_AT_ChangeOwner
	AlterTableType_AT_ClusterOn                 = pg_query.AlterTableType_AT_ClusterOn
	AlterTableType_AT_DropCluster               = pg_query.AlterTableType_AT_DropCluster
	AlterTableType_AT_SetLogged                 = pg_query.AlterTableType_AT_SetLogged
	AlterTableType_AT_SetUnLogged               = pg_query.AlterTableType_AT_SetUnLogged
	AlterTableType_AT_DropOids                  = pg_query.AlterTableType_AT_DropOids
	AlterTableType_AT_SetAccessMethod           = pg_query.AlterTableType_AT_SetAccessMethod
	AlterTableType_AT_SetTableSpace             = pg_query.AlterTableType_AT_SetTableSpace
	AlterTableType_AT_SetRelOptions             = pg_query.AlterTableType_AT_SetRelOptions
	AlterTableType_AT_ResetRelOptions           = pg_query.AlterTableType_AT_ResetRelOptions
	AlterTableType_AT_ReplaceRelOptions         = pg_query.AlterTableType_AT_ReplaceRelOptions
	AlterTableType_AT_EnableTrig                = pg_query.AlterTableType_AT_EnableTrig
	AlterTableType_AT_EnableAlwaysTrig          = pg_query.AlterTableType_AT_EnableAlwaysTrig
	AlterTableType_AT_EnableReplicaTrig         = pg_query.AlterTableType_AT_EnableReplicaTrig
	AlterTableType_AT_DisableTrig               = pg_query.AlterTableType_AT_DisableTrig
	AlterTableType_AT_EnableTrigAll             = pg_query.AlterTableType_AT_EnableTrigAll
	AlterTableType_AT_DisableTrigAll            = pg_query.AlterTableType_AT_DisableTrigAll
	AlterTableType_AT_EnableTrigUser            = pg_query.AlterTableType_AT_EnableTrigUser
	AlterTableType_AT_DisableTrigUser           = pg_query.AlterTableType_AT_DisableTrigUser
	AlterTableType_AT_EnableRule                = pg_query.AlterTableType_AT_EnableRule
	AlterTableType_AT_EnableAlwaysRule          = pg_query.AlterTableType_AT_EnableAlwaysRule
	AlterTableType_AT_EnableReplicaRule         = pg_query.AlterTableType_AT_EnableReplicaRule
	AlterTableType_AT_DisableRule               = pg_query.AlterTableType_AT_DisableRule
	AlterTableType_AT_AddInherit                = pg_query.AlterTableType_AT_AddInherit
	AlterTableType_AT_DropInherit               = pg_query.AlterTableType_AT_DropInherit
	AlterTableType_AT_AddOf                     = pg_query.AlterTableType_AT_AddOf
	AlterTableType_AT_DropOf                    = pg_query.AlterTableType_AT_DropOf
	AlterTableType_AT_ReplicaIdentity           = pg_query.AlterTableType_AT_ReplicaIdentity
	AlterTableType_AT_EnableRowSecurity         = pg_query.AlterTableType_AT_EnableRowSecurity
	AlterTableType_AT_DisableRowSecurity        = pg_query.AlterTableType_AT_DisableRowSecurity
	AlterTableType_AT_ForceRowSecurity          = pg_query.AlterTableType_AT_ForceRowSecurity
	AlterTableType_AT_NoForceRowSecurity        = pg_query.AlterTableType_AT_NoForceRowSecurity
	AlterTableType_AT_GenericOptions            = pg_query.AlterTableType_AT_GenericOptions
	AlterTableType_AT_AttachPartition           = pg_query.AlterTableType_AT_AttachPartition
	AlterTableType_AT_DetachPartition           = pg_query.AlterTableType_AT_DetachPartition
	AlterTableType_AT_DetachPartitionFinalize   = pg_query.AlterTableType_AT_DetachPartitionFinalize
	AlterTableType_AT_AddIdentity               = pg_query.AlterTableType_AT_AddIdentity
	AlterTableType_AT_SetIdentity               = pg_query.AlterTableType_AT_SetIdentity
	AlterTableType_AT_DropIdentity              = pg_query.AlterTableType_AT_DropIdentity
	AlterTableType_AT_ReAddStatistics           = pg_query.AlterTableType_AT_ReAddStatistics
)

// Values of BoolExprType.
const (
	BoolExprType_AND_EXPR = pg_query.BoolExprType_AND_EXPR
	BoolExprType_OR_EXPR  = pg_query.BoolExprType_OR_EXPR
	BoolExprType_NOT_EXPR = pg_query.BoolExprType_NOT_EXPR
)

// Values of BoolTestType.
const (
	BoolTestType_IS_TRUE        = pg_query.BoolTestType_IS_TRUE
	BoolTestType_IS_NOT_TRUE    = pg_query.BoolTestType_IS_NOT_TRUE
	BoolTestType_IS_FALSE       = pg_query.BoolTestType_IS_FALSE
	BoolTestType_IS_NOT_FALSE   = pg_query.BoolTestType_IS_NOT_FALSE
	BoolTestType_IS_UNKNOWN     = pg_query.BoolTestType_IS_UNKNOWN
	BoolTestType_IS_NOT_UNKNOWN = pg_query.BoolTestType_IS_NOT_UNKNOWN
)

// Values of CTEMaterialize.
const (
	CTEMaterialize_CTEMaterializeDefault = pg_query.CTEMaterialize_CTEMaterializeDefault
	CTEMaterialize_CTEMaterializeAlways  = pg_query.CTEMaterialize_CTEMaterializeAlways
	CTEMaterialize_CTEMaterializeNever   = pg_query.CTEMaterialize_CTEMaterializeNever
)

// Values of CmdType.
const (
	CmdType_CMD_UNKNOWN = pg_query.CmdType_CMD_UNKNOWN
	CmdType_CMD_SELECT  = pg_query.CmdType_CMD_SELECT
	CmdType_CMD_UPDATE  = pg_query.CmdType_CMD_UPDATE
	CmdType_CMD_INSERT  = pg_query.CmdType_CMD_INSERT
	CmdType_CMD_DELETE  = pg_query.CmdType_CMD_DELETE
	CmdType_CMD_MERGE   = pg_query.CmdType_CMD_MERGE
	CmdType_CMD_UTILITY = pg_query.CmdType_CMD_UTILITY
	CmdType_CMD_NOTHING = pg_query.CmdType_CMD_NOTHING
)

// Values of CoercionContext.
const (
	CoercionContext_COERCION_IMPLICIT   = pg_query.CoercionContext_COERCION_IMPLICIT
	CoercionContext_COERCION_ASSIGNMENT = pg_query.CoercionContext_COERCION_ASSIGNMENT
	CoercionContext_COERCION_PLPGSQL    = pg_query.CoercionContext_COERCION_PLPGSQL
	CoercionContext_COERCION_EXPLICIT   = pg_query.CoercionContext_COERCION_EXPLICIT
)

// Values of CoercionForm.
const (
	CoercionForm_COERCE_EXPLICIT_CALL = pg_query.CoercionForm_COERCE_EXPLICIT_CALL
	CoercionForm_COERCE_EXPLICIT_CAST = pg_query.CoercionForm_COERCE_EXPLICIT_CAST
	CoercionForm_COERCE_IMPLICIT_CAST = pg_query.CoercionForm_COERCE_IMPLICIT_CAST
	CoercionForm_COERCE_SQL_SYNTAX    = pg_query.CoercionForm_COERCE_SQL_SYNTAX
)

// Values of ConstrType.
const (
	ConstrType_CONSTR_NULL                = pg_query.ConstrType_CONSTR_NULL
	ConstrType_CONSTR_NOTNULL             = pg_query.ConstrType_CONSTR_NOTNULL
	ConstrType_CONSTR_DEFAULT             = pg_query.ConstrType_CONSTR_DEFAULT
	ConstrType_CONSTR_IDENTITY            = pg_query.ConstrType_CONSTR_IDENTITY
	ConstrType_CONSTR_GENERATED           = pg_query.ConstrType_CONSTR_GENERATED
	ConstrType_CONSTR_CHECK               = pg_query.ConstrType_CONSTR_CHECK
	ConstrType_CONSTR_PRIMARY             = pg_query.ConstrType_CONSTR_PRIMARY
	ConstrType_CONSTR_UNIQUE              = pg_query.ConstrType_CONSTR_UNIQUE
	ConstrType_CONSTR_EXCLUSION           = pg_query.ConstrType_CONSTR_EXCLUSION
	ConstrType_CONSTR_FOREIGN             = pg_query.ConstrType_CONSTR_FOREIGN
	ConstrType_CONSTR_ATTR_DEFERRABLE     = pg_query.ConstrType_CONSTR_ATTR_DEFERRABLE
	ConstrType_CONSTR_ATTR_NOT_DEFERRABLE = pg_query.ConstrType_CONSTR_ATTR_NOT_DEFERRABLE
	ConstrType_CONSTR_ATTR_DEFERRED       = pg_query.ConstrType_CONSTR_ATTR_DEFERRED
	ConstrType_CONSTR_ATTR_IMMEDIATE      = pg_query.ConstrType_CONSTR_ATTR_IMMEDIATE
)

// Values of DefElemAction.
const (
	DefElemAction_DEFELEM_UNSPEC = pg_query.DefElemAction_DEFELEM_UNSPEC
	DefElemAction_DEFELEM_SET    = pg_query.DefElemAction_DEFELEM_SET
	DefElemAction_DEFELEM_ADD    = pg_query.DefElemAction_DEFELEM_ADD
	DefElemAction_DEFELEM_DROP   = pg_query.DefElemAction_DEFELEM_DROP
)

// Values of DiscardMode.
const (
	DiscardMode_DISCARD_ALL       = pg_query.DiscardMode_DISCARD_ALL
	DiscardMode_DISCARD_PLANS     = pg_query.DiscardMode_DISCARD_PLANS
	DiscardMode_DISCARD_SEQUENCES = pg_query.DiscardMode_DISCARD_SEQUENCES
	DiscardMode_DISCARD_TEMP      = pg_query.DiscardMode_DISCARD_TEMP
)

// Values of DropBehavior.
const (
	DropBehavior_DROP_RESTRICT = pg_query.DropBehavior_DROP_RESTRICT
	DropBehavior_DROP_CASCADE  = pg_query.DropBehavior_DROP_CASCADE
)

// Values of FetchDirection.
const (
	FetchDirection_FETCH_FORWARD  = pg_query.FetchDirection_FETCH_FORWARD
	FetchDirection_FETCH_BACKWARD = pg_query.FetchDirection_FETCH_BACKWARD
	FetchDirection_FETCH_ABSOLUTE = pg_query.FetchDirection_FETCH_ABSOLUTE
	FetchDirection_FETCH_RELATIVE = pg_query.FetchDirection_FETCH_RELATIVE
)

// Values of FunctionParameterMode.
const (
	FunctionParameterMode_FUNC_PARAM_IN       = pg_query.FunctionParameterMode_FUNC_PARAM_IN
	FunctionParameterMode_FUNC_PARAM_OUT      = pg_query.FunctionParameterMode_FUNC_PARAM_OUT
	FunctionParameterMode_FUNC_PARAM_INOUT    = pg_query.FunctionParameterMode_FUNC_PARAM_INOUT
	FunctionParameterMode_FUNC_PARAM_VARIADIC = pg_query.FunctionParameterMode_FUNC_PARAM_VARIADIC
	FunctionParameterMode_FUNC_PARAM_TABLE    = pg_query.FunctionParameterMode_FUNC_PARAM_TABLE
	FunctionParameterMode_FUNC_PARAM_DEFAULT  = pg_query.FunctionParameterMode_FUNC_PARAM_DEFAULT
)

// Values of GrantTargetType.
const (
	GrantTargetType_ACL_TARGET_OBJECT        = pg_query.GrantTargetType_ACL_TARGET_OBJECT
	GrantTargetType_ACL_TARGET_ALL_IN_SCHEMA = pg_query.GrantTargetType_ACL_TARGET_ALL_IN_SCHEMA
	GrantTargetType_ACL_TARGET_DEFAULTS      = pg_query.GrantTargetType_ACL_TARGET_DEFAULTS
)

// Values of GroupingSetKind.
const (
	GroupingSetKind_GROUPING_SET_EMPTY  = pg_query.GroupingSetKind_GROUPING_SET_EMPTY
	GroupingSetKind_GROUPING_SET_SIMPLE = pg_query.GroupingSetKind_GROUPING_SET_SIMPLE
	GroupingSetKind_GROUPING_SET_ROLLUP = pg_query.GroupingSetKind_GROUPING_SET_ROLLUP
	GroupingSetKind_GROUPING_SET_CUBE   = pg_query.GroupingSetKind_GROUPING_SET_CUBE
	GroupingSetKind_GROUPING_SET_SETS   = pg_query.GroupingSetKind_GROUPING_SET_SETS
)

// Values of ImportForeignSchemaType.
const (
	ImportForeignSchemaType_FDW_IMPORT_SCHEMA_ALL      = pg_query.ImportForeignSchemaType_FDW_IMPORT_SCHEMA_ALL
	ImportForeignSchemaType_FDW_IMPORT_SCHEMA_LIMIT_TO = pg_query.ImportForeignSchemaType_FDW_IMPORT_SCHEMA_LIMIT_TO
	ImportForeignSchemaType_FDW_IMPORT_SCHEMA_EXCEPT   = pg_query.ImportForeignSchemaType_FDW_IMPORT_SCHEMA_EXCEPT
)
