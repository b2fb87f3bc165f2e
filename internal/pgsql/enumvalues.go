package pgsql

import pg_query "github.com/pganalyze/pg_query_go/v5"

// Values of JoinType.
const (
	JoinType_JOIN_INNER        = pg_query.JoinType_JOIN_INNER
	JoinType_JOIN_LEFT         = pg_query.JoinType_JOIN_LEFT
	JoinType_JOIN_FULL         = pg_query.JoinType_JOIN_FULL
	JoinType_JOIN_RIGHT        = pg_query.JoinType_JOIN_RIGHT
	JoinType_JOIN_SEMI         = pg_query.JoinType_JOIN_SEMI
	JoinType_JOIN_ANTI         = pg_query.JoinType_JOIN_ANTI
	JoinType_JOIN_RIGHT_ANTI   = pg_query.JoinType_JOIN_RIGHT_ANTI
	JoinType_JOIN_UNIQUE_OUTER = pg_query.JoinType_JOIN_UNIQUE_OUTER
	JoinType_JOIN_UNIQUE_INNER = pg_query.JoinType_JOIN_UNIQUE_INNER
)

// Values of JsonConstructorType.
const (
	JsonConstructorType_JSCTOR_JSON_OBJECT    = pg_query.JsonConstructorType_JSCTOR_JSON_OBJECT
	JsonConstructorType_JSCTOR_JSON_ARRAY     = pg_query.JsonConstructorType_JSCTOR_JSON_ARRAY
	JsonConstructorType_JSCTOR_JSON_OBJECTAGG = pg_query.JsonConstructorType_JSCTOR_JSON_OBJECTAGG
	JsonConstructorType_JSCTOR_JSON_ARRAYAGG  = pg_query.JsonConstructorType_JSCTOR_JSON_ARRAYAGG
)

// Values of JsonEncoding.
const (
	JsonEncoding_JS_ENC_DEFAULT = pg_query.JsonEncoding_JS_ENC_DEFAULT
	JsonEncoding_JS_ENC_UTF8    = pg_query.JsonEncoding_JS_ENC_UTF8
	JsonEncoding_JS_ENC_UTF16   = pg_query.JsonEncoding_JS_ENC_UTF16
	JsonEncoding_JS_ENC_UTF32   = pg_query.JsonEncoding_JS_ENC_UTF32
)

// Values of JsonFormatType.
const (
	JsonFormatType_JS_FORMAT_DEFAULT = pg_query.JsonFormatType_JS_FORMAT_DEFAULT
	JsonFormatType_JS_FORMAT_JSON    = pg_query.JsonFormatType_JS_FORMAT_JSON
	JsonFormatType_JS_FORMAT_JSONB   = pg_query.JsonFormatType_JS_FORMAT_JSONB
)

// Values of JsonValueType.
const (
	JsonValueType_JS_TYPE_ANY    = pg_query.JsonValueType_JS_TYPE_ANY
	JsonValueType_JS_TYPE_OBJECT = pg_query.JsonValueType_JS_TYPE_OBJECT
	JsonValueType_JS_TYPE_ARRAY  = pg_query.JsonValueType_JS_TYPE_ARRAY
	JsonValueType_JS_TYPE_SCALAR = pg_query.JsonValueType_JS_TYPE_SCALAR
)

// Values of LimitOption.
const (
	LimitOption_LIMIT_OPTION_DEFAULT   = pg_query.LimitOption_LIMIT_OPTION_DEFAULT
	LimitOption_LIMIT_OPTION_COUNT     = pg_query.LimitOption_LIMIT_OPTION_COUNT
	LimitOption_LIMIT_OPTION_WITH_TIES = pg_query.LimitOption_LIMIT_OPTION_WITH_TIES
)

// Values of LockClauseStrength.
const (
	LockClauseStrength_LCS_NONE           = pg_query.LockClauseStrength_LCS_NONE
	LockClauseStrength_LCS_FORKEYSHARE    = pg_query.LockClauseStrength_LCS_FORKEYSHARE
	LockClauseStrength_LCS_FORSHARE       = pg_query.LockClauseStrength_LCS_FORSHARE
	LockClauseStrength_LCS_FORNOKEYUPDATE = pg_query.LockClauseStrength_LCS_FORNOKEYUPDATE
	LockClauseStrength_LCS_FORUPDATE      = pg_query.LockClauseStrength_LCS_FORUPDATE
)

// Values of LockTupleMode.
const (
	LockTupleMode_LockTupleKeyShare       = pg_query.LockTupleMode_LockTupleKeyShare
	LockTupleMode_LockTupleShare          = pg_query.LockTupleMode_LockTupleShare
	LockTupleMode_LockTupleNoKeyExclusive = pg_query.LockTupleMode_LockTupleNoKeyExclusive
	LockTupleMode_LockTupleExclusive      = pg_query.LockTupleMode_LockTupleExclusive
)

// Values of LockWaitPolicy.
const (
	LockWaitPolicy_LockWaitBlock = pg_query.LockWaitPolicy_LockWaitBlock
	LockWaitPolicy_LockWaitSkip  = pg_query.LockWaitPolicy_LockWaitSkip
	LockWaitPolicy_LockWaitError = pg_query.LockWaitPolicy_LockWaitError
)

// Values of MinMaxOp.
const (
	MinMaxOp_IS_GREATEST = pg_query.MinMaxOp_IS_GREATEST
	MinMaxOp_IS_LEAST    = pg_query.MinMaxOp_IS_LEAST
)

// Values of NullTestType.
const (
	NullTestType_IS_NULL     = pg_query.NullTestType_IS_NULL
	NullTestType_IS_NOT_NULL = pg_query.NullTestType_IS_NOT_NULL
)

// Values of ObjectType.
const (
	ObjectType_OBJECT_ACCESS_METHOD         = pg_query.ObjectType_OBJECT_ACCESS_METHOD
	ObjectType_OBJECT_AGGREGATE             = pg_query.ObjectType_OBJECT_AGGREGATE
	ObjectType_OBJECT_AMOP                  = pg_query.ObjectType_OBJECT_AMOP
	ObjectType_OBJECT_AMPROC                = pg_query.ObjectType_OBJECT_AMPROC
	ObjectType_OBJECT_ATTRIBUTE             = pg_query.ObjectType_OBJECT_ATTRIBUTE
	ObjectType_OBJECT_CAST                  = pg_query.ObjectType_OBJECT_CAST
	ObjectType_OBJECT_COLUMN                = pg_query.ObjectType_OBJECT_COLUMN
	ObjectType_OBJECT_COLLATION             = pg_query.ObjectType_OBJECT_COLLATION
	ObjectType_OBJECT_CONVERSION            = pg_query.ObjectType_OBJECT_CONVERSION
	ObjectType_OBJECT_DATABASE              = pg_query.ObjectType_OBJECT_DATABASE
	ObjectType_OBJECT_DEFAULT               = pg_query.ObjectType_OBJECT_DEFAULT
	ObjectType_OBJECT_DEFACL                = pg_query.ObjectType_OBJECT_DEFACL
	ObjectType_OBJECT_DOMAIN                = pg_query.ObjectType_OBJECT_DOMAIN
	ObjectType_OBJECT_DOMCONSTRAINT         = pg_query.ObjectType_OBJECT_DOMCONSTRAINT
	ObjectType_OBJECT_EVENT_TRIGGER         = pg_query.ObjectType_OBJECT_EVENT_TRIGGER
	ObjectType_OBJECT_EXTENSION             = pg_query.ObjectType_OBJECT_EXTENSION
	ObjectType_OBJECT_FDW                   = pg_query.ObjectType_OBJECT_FDW
	ObjectType_OBJECT_FOREIGN_SERVER        = pg_query.ObjectType_OBJECT_FOREIGN_SERVER
	ObjectType_OBJECT_FOREIGN_TABLE         = pg_query.ObjectType_OBJECT_FOREIGN_TABLE
	ObjectType_OBJECT_FUNCTION              = pg_query.ObjectType_OBJECT_FUNCTION
	ObjectType_OBJECT_INDEX                 = pg_query.ObjectType_OBJECT_INDEX
	ObjectType_OBJECT_LANGUAGE              = pg_query.ObjectType_OBJECT_LANGUAGE
	ObjectType_OBJECT_LARGEOBJECT           = pg_query.ObjectType_OBJECT_LARGEOBJECT
	ObjectType_OBJECT_MATVIEW               = pg_query.ObjectType_OBJECT_MATVIEW
	ObjectType_OBJECT_OPCLASS               = pg_query.ObjectType_OBJECT_OPCLASS
	ObjectType_OBJECT_OPERATOR              = pg_query.ObjectType_OBJECT_OPERATOR
	ObjectType_OBJECT_OPFAMILY              = pg_query.ObjectType_OBJECT_OPFAMILY
	ObjectType_OBJECT_PARAMETER_ACL         = pg_query.ObjectType_OBJECT_PARAMETER_ACL
	ObjectType_OBJECT_POLICY                = pg_query.ObjectType_OBJECT_POLICY
	ObjectType_OBJECT_PROCEDURE             = pg_query.ObjectType_OBJECT_PROCEDURE
	ObjectType_OBJECT_PUBLICATION           = pg_query.ObjectType_OBJECT_PUBLICATION
	ObjectType_OBJECT_PUBLICATION_NAMESPACE = pg_query.ObjectType_OBJECT_PUBLICATION_NAMESPACE
	ObjectType_OBJECT_PUBLICATION_REL       = pg_query.ObjectType_OBJECT_PUBLICATION_REL
	ObjectType_OBJECT_ROLE                  = pg_query.ObjectType_OBJECT_ROLE
	ObjectType_OBJECT_ROUTINE               = pg_query.ObjectType_OBJECT_ROUTINE
	ObjectType_OBJECT_RULE                  = pg_query.ObjectType_OBJECT_RULE
	ObjectType_OBJECT_SCHEMA                = pg_query.ObjectType_OBJECT_SCHEMA
	ObjectType_OBJECT_SEQUENCE              = pg_query.ObjectType_OBJECT_SEQUENCE
	ObjectType_OBJECT_SUBSCRIPTION          = pg_query.ObjectType_OBJECT_SUBSCRIPTION
	ObjectType_OBJECT_STATISTIC_EXT         = pg_query.ObjectType_OBJECT_STATISTIC_EXT
	ObjectType_OBJECT_TABCONSTRAINT         = pg_query.ObjectType_OBJECT_TABCONSTRAINT
	ObjectType_OBJECT_TABLE                 = pg_query.ObjectType_OBJECT_TABLE
	ObjectType_OBJECT_TABLESPACE            = pg_query.ObjectType_OBJECT_TABLESPACE
	ObjectType_OBJECT_TRANSFORM             = pg_query.ObjectType_OBJECT_TRANSFORM
	ObjectType_OBJECT_TRIGGER               = pg_query.ObjectType_OBJECT_TRIGGER
	ObjectType_OBJECT_TSCONFIGURATION       = pg_query.ObjectType_OBJECT_TSCONFIGURATION
	ObjectType_OBJECT_TSDICTIONARY          = pg_query.ObjectType_OBJECT_TSDICTIONARY
	ObjectType_OBJECT_TSPARSER              = pg_query.ObjectType_OBJECT_TSPARSER
	ObjectType_OBJECT_TSTEMPLATE            = pg_query.ObjectType_OBJECT_TSTEMPLATE
	ObjectType_OBJECT_TYPE                  = pg_query.ObjectType_OBJECT_TYPE
	ObjectType_OBJECT_USER_MAPPING          = pg_query.ObjectType_OBJECT_USER_MAPPING
	ObjectType_OBJECT_VIEW                  = pg_query.ObjectType_OBJECT_VIEW
)

// Values of OnCommitAction.
const (
	OnCommitAction_ONCOMMIT_NOOP          = pg_query.OnCommitAction_ONCOMMIT_NOOP
	OnCommitAction_ONCOMMIT_PRESERVE_ROWS = pg_query.OnCommitAction_ONCOMMIT_PRESERVE_ROWS
	OnCommitAction_ONCOMMIT_DELETE_ROWS   = pg_query.OnCommitAction_ONCOMMIT_DELETE_ROWS
	OnCommitAction_ONCOMMIT_DROP          = pg_query.OnCommitAction_ONCOMMIT_DROP
)

// Values of OnConflictAction.
const (
	OnConflictAction_ONCONFLICT_NONE    = pg_query.OnConflictAction_ONCONFLICT_NONE
	OnConflictAction_ONCONFLICT_NOTHING = pg_query.OnConflictAction_ONCONFLICT_NOTHING
	OnConflictAction_ONCONFLICT_UPDATE  = pg_query.OnConflictAction_ONCONFLICT_UPDATE
)

// Values of OverridingKind.
const (
	OverridingKind_OVERRIDING_NOT_SET      = pg_query.OverridingKind_OVERRIDING_NOT_SET
	OverridingKind_OVERRIDING_USER_VALUE   = pg_query.OverridingKind_OVERRIDING_USER_VALUE
	OverridingKind_OVERRIDING_SYSTEM_VALUE = pg_query.OverridingKind_OVERRIDING_SYSTEM_VALUE
)

// Values of ParamKind.
const (
	ParamKind_PARAM_EXTERN    = pg_query.ParamKind_PARAM_EXTERN
	ParamKind_PARAM_EXEC      = pg_query.ParamKind_PARAM_EXEC
	ParamKind_PARAM_SUBLINK   = pg_query.ParamKind_PARAM_SUBLINK
	ParamKind_PARAM_MULTIEXPR = pg_query.ParamKind_PARAM_MULTIEXPR
)

// Values of PartitionRangeDatumKind.
const (
	PartitionRangeDatumKind_PARTITION_RANGE_DATUM_MINVALUE = pg_query.PartitionRangeDatumKind_PARTITION_RANGE_DATUM_MINVALUE
	PartitionRangeDatumKind_PARTITION_RANGE_DATUM_VALUE    = pg_query.PartitionRangeDatumKind_PARTITION_RANGE_DATUM_VALUE
	PartitionRangeDatumKind_PARTITION_RANGE_DATUM_MAXVALUE = pg_query.PartitionRangeDatumKind_PARTITION_RANGE_DATUM_MAXVALUE
)

// Values of PartitionStrategy.
const (
	PartitionStrategy_PARTITION_STRATEGY_LIST  = pg_query.PartitionStrategy_PARTITION_STRATEGY_LIST
	PartitionStrategy_PARTITION_STRATEGY_RANGE = pg_query.PartitionStrategy_PARTITION_STRATEGY_RANGE
	PartitionStrategy_PARTITION_STRATEGY_HASH  = pg_query.PartitionStrategy_PARTITION_STRATEGY_HASH
)

// Values of PublicationObjSpecType.
const (
	PublicationObjSpecType_PUBLICATIONOBJ_TABLE                = pg_query.PublicationObjSpecType_PUBLICATIONOBJ_TABLE
	PublicationObjSpecType_PUBLICATIONOBJ_TABLES_IN_SCHEMA     = pg_query.PublicationObjSpecType_PUBLICATIONOBJ_TABLES_IN_SCHEMA
	PublicationObjSpecType_PUBLICATIONOBJ_TABLES_IN_CUR_SCHEMA = pg_query.PublicationObjSpecType_PUBLICATIONOBJ_TABLES_IN_CUR_SCHEMA
	PublicationObjSpecType_PUBLICATIONOBJ_CONTINUATION         = pg_query.PublicationObjSpecType_PUBLICATIONOBJ_CONTINUATION
)

// Values of QuerySource.
const (
	QuerySource_QSRC_ORIGINAL          = pg_query.QuerySource_QSRC_ORIGINAL
	QuerySource_QSRC_PARSER            = pg_query.QuerySource_QSRC_PARSER
	QuerySource_QSRC_INSTEAD_RULE      = pg_query.QuerySource_QSRC_INSTEAD_RULE
	QuerySource_QSRC_QUAL_INSTEAD_RULE = pg_query.QuerySource_QSRC_QUAL_INSTEAD_RULE
	QuerySource_QSRC_NON_INSTEAD_RULE  = pg_query.QuerySource_QSRC_NON_INSTEAD_RULE
)

// Values of RTEKind.
const (
	RTEKind_RTE_RELATION        = pg_query.RTEKind_RTE_RELATION
	RTEKind_RTE_SUBQUERY        = pg_query.RTEKind_RTE_SUBQUERY
	RTEKind_RTE_JOIN            = pg_query.RTEKind_RTE_JOIN
	RTEKind_RTE_FUNCTION        = pg_query.RTEKind_RTE_FUNCTION
	RTEKind_RTE_TABLEFUNC       = pg_query.RTEKind_RTE_TABLEFUNC
	RTEKind_RTE_VALUES          = pg_query.RTEKind_RTE_VALUES
	RTEKind_RTE_CTE             = pg_query.RTEKind_RTE_CTE
	RTEKind_RTE_NAMEDTUPLESTORE = pg_query.RTEKind_RTE_NAMEDTUPLESTORE
	RTEKind_RTE_RESULT          = pg_query.RTEKind_RTE_RESULT
)

// Values of ReindexObjectType.
const (
	ReindexObjectType_REINDEX_OBJECT_INDEX    = pg_query.ReindexObjectType_REINDEX_OBJECT_INDEX
	ReindexObjectType_REINDEX_OBJECT_TABLE    = pg_query.ReindexObjectType_REINDEX_OBJECT_TABLE
	ReindexObjectType_REINDEX_OBJECT_SCHEMA   = pg_query.ReindexObjectType_REINDEX_OBJECT_SCHEMA
	ReindexObjectType_REINDEX_OBJECT_SYSTEM   = pg_query.ReindexObjectType_REINDEX_OBJECT_SYSTEM
	ReindexObjectType_REINDEX_OBJECT_DATABASE = pg_query.ReindexObjectType_REINDEX_OBJECT_DATABASE
)

// Values of RoleSpecType.
const (
	RoleSpecType_ROLESPEC_CSTRING      = pg_query.RoleSpecType_ROLESPEC_CSTRING
	RoleSpecType_ROLESPEC_CURRENT_ROLE = pg_query.RoleSpecType_ROLESPEC_CURRENT_ROLE
	RoleSpecType_ROLESPEC_CURRENT_USER = pg_query.RoleSpecType_ROLESPEC_CURRENT_USER
	RoleSpecType_ROLESPEC_SESSION_USER = pg_query.RoleSpecType_ROLESPEC_SESSION_USER
	RoleSpecType_ROLESPEC_PUBLIC       = pg_query.RoleSpecType_ROLESPEC_PUBLIC
)

// Values of RoleStmtType.
const (
	RoleStmtType_ROLESTMT_ROLE  = pg_query.RoleStmtType_ROLESTMT_ROLE
	RoleStmtType_ROLESTMT_USER  = pg_query.RoleStmtType_ROLESTMT_USER
	RoleStmtType_ROLESTMT_GROUP = pg_query.RoleStmtType_ROLESTMT_GROUP
)

// Values of RowCompareType.
const (
	RowCompareType_ROWCOMPARE_LT = pg_query.RowCompareType_ROWCOMPARE_LT
	RowCompareType_ROWCOMPARE_LE = pg_query.RowCompareType_ROWCOMPARE_LE
	RowCompareType_ROWCOMPARE_EQ = pg_query.RowCompareType_ROWCOMPARE_EQ
	RowCompareType_ROWCOMPARE_GE = pg_query.RowCompareType_ROWCOMPARE_GE
	RowCompareType_ROWCOMPARE_GT = pg_query.RowCompareType_ROWCOMPARE_GT
	RowCompareType_ROWCOMPARE_NE = pg_query.RowCompareType_ROWCOMPARE_NE
)

// Values of SQLValueFunctionOp.
const (
	SQLValueFunctionOp_SVFOP_CURRENT_DATE        = pg_query.SQLValueFunctionOp_SVFOP_CURRENT_DATE
	SQLValueFunctionOp_SVFOP_CURRENT_TIME        = pg_query.SQLValueFunctionOp_SVFOP_CURRENT_TIME
	SQLValueFunctionOp_SVFOP_CURRENT_TIME_N      = pg_query.SQLValueFunctionOp_SVFOP_CURRENT_TIME_N
	SQLValueFunctionOp_SVFOP_CURRENT_TIMESTAMP   = pg_query.SQLValueFunctionOp_SVFOP_CURRENT_TIMESTAMP
	SQLValueFunctionOp_SVFOP_CURRENT_TIMESTAMP_N = pg_query.SQLValueFunctionOp_SVFOP_CURRENT_TIMESTAMP_N
	SQLValueFunctionOp_SVFOP_LOCALTIME           = pg_query.SQLValueFunctionOp_SVFOP_LOCALTIME
	SQLValueFunctionOp_SVFOP_LOCALTIME_N         = pg_query.SQLValueFunctionOp_SVFOP_LOCALTIME_N
	SQLValueFunctionOp_SVFOP_LOCALTIMESTAMP      = pg_query.SQLValueFunctionOp_SVFOP_LOCALTIMESTAMP
	SQLValueFunctionOp_SVFOP_LOCALTIMESTAMP_N    = pg_query.SQLValueFunctionOp_SVFOP_LOCALTIMESTAMP_N
	SQLValueFunctionOp_SVFOP_CURRENT_ROLE        = pg_query.SQLValueFunctionOp_SVFOP_CURRENT_ROLE
	SQLValueFunctionOp_SVFOP_CURRENT_USER        = pg_query.SQLValueFunctionOp_SVFOP_CURRENT_USER
	SQLValueFunctionOp_SVFOP_USER                = pg_query.SQLValueFunctionOp_SVFOP_USER
	SQLValueFunctionOp_SVFOP_SESSION_USER        = pg_query.SQLValueFunctionOp_SVFOP_SESSION_USER
	SQLValueFunctionOp_SVFOP_CURRENT_CATALOG     = pg_query.SQLValueFunctionOp_SVFOP_CURRENT_CATALOG
	SQLValueFunctionOp_SVFOP_CURRENT_SCHEMA      = pg_query.SQLValueFunctionOp_SVFOP_CURRENT_SCHEMA
)

// Values of SetOpCmd.
const (
	SetOpCmd_SETOPCMD_INTERSECT     = pg_query.SetOpCmd_SETOPCMD_INTERSECT
	SetOpCmd_SETOPCMD_INTERSECT_ALL = pg_query.SetOpCmd_SETOPCMD_INTERSECT_ALL
	SetOpCmd_SETOPCMD_EXCEPT        = pg_query.SetOpCmd_SETOPCMD_EXCEPT
	SetOpCmd_SETOPCMD_EXCEPT_ALL    = pg_query.SetOpCmd_SETOPCMD_EXCEPT_ALL
)

// Values of SetOpStrategy.
const (
	SetOpStrategy_SETOP_SORTED = pg_query.SetOpStrategy_SETOP_SORTED
	SetOpStrategy_SETOP_HASHED = pg_query.SetOpStrategy_SETOP_HASHED
)

// Values of SetOperation.
const (
	SetOperation_SETOP_NONE      = pg_query.SetOperation_SETOP_NONE
	SetOperation_SETOP_UNION     = pg_query.SetOperation_SETOP_UNION
	SetOperation_SETOP_INTERSECT = pg_query.SetOperation_SETOP_INTERSECT
	SetOperation_SETOP_EXCEPT    = pg_query.SetOperation_SETOP_EXCEPT
)

// Values of SetQuantifier.
const (
	SetQuantifier_SET_QUANTIFIER_DEFAULT  = pg_query.SetQuantifier_SET_QUANTIFIER_DEFAULT
	SetQuantifier_SET_QUANTIFIER_ALL      = pg_query.SetQuantifier_SET_QUANTIFIER_ALL
	SetQuantifier_SET_QUANTIFIER_DISTINCT = pg_query.SetQuantifier_SET_QUANTIFIER_DISTINCT
)

// Values of SortByDir.
const (
	SortByDir_SORTBY_DEFAULT = pg_query.SortByDir_SORTBY_DEFAULT
	SortByDir_SORTBY_ASC     = pg_query.SortByDir_SORTBY_ASC
	SortByDir_SORTBY_DESC    = pg_query.SortByDir_SORTBY_DESC
	SortByDir_SORTBY_USING   = pg_query.SortByDir_SORTBY_USING
)

// Values of SortByNulls.
const (
	SortByNulls_SORTBY_NULLS_DEFAULT = pg_query.SortByNulls_SORTBY_NULLS_DEFAULT
	SortByNulls_SORTBY_NULLS_FIRST   = pg_query.SortByNulls_SORTBY_NULLS_FIRST
	SortByNulls_SORTBY_NULLS_LAST    = pg_query.SortByNulls_SORTBY_NULLS_LAST
)

// Values of SubLinkType.
const (
	SubLinkType_EXISTS_SUBLINK     = pg_query.SubLinkType_EXISTS_SUBLINK
	SubLinkType_ALL_SUBLINK        = pg_query.SubLinkType_ALL_SUBLINK
	SubLinkType_ANY_SUBLINK        = pg_query.SubLinkType_ANY_SUBLINK
	SubLinkType_ROWCOMPARE_SUBLINK = pg_query.SubLinkType_ROWCOMPARE_SUBLINK
	SubLinkType_EXPR_SUBLINK       = pg_query.SubLinkType_EXPR_SUBLINK
	SubLinkType_MULTIEXPR_SUBLINK  = pg_query.SubLinkType_MULTIEXPR_SUBLINK
	SubLinkType_ARRAY_SUBLINK      = pg_query.SubLinkType_ARRAY_SUBLINK
	SubLinkType_CTE_SUBLINK        = pg_query.SubLinkType_CTE_SUBLINK
)

// Values of TableLikeOption.
const (
	TableLikeOption_CREATE_TABLE_LIKE_COMMENTS    = pg_query.TableLikeOption_CREATE_TABLE_LIKE_COMMENTS
	TableLikeOption_CREATE_TABLE_LIKE_COMPRESSION = pg_query.TableLikeOption_CREATE_TABLE_LIKE_COMPRESSION
	TableLikeOption_CREATE_TABLE_LIKE_CONSTRAINTS = pg_query.TableLikeOption_CREATE_TABLE_LIKE_CONSTRAINTS
	TableLikeOption_CREATE_TABLE_LIKE_DEFAULTS    = pg_query.TableLikeOption_CREATE_TABLE_LIKE_DEFAULTS
	TableLikeOption_CREATE_TABLE_LIKE_GENERATED   = pg_query.TableLikeOption_CREATE_TABLE_LIKE_GENERATED
	TableLikeOption_CREATE_TABLE_LIKE_IDENTITY    = pg_query.TableLikeOption_CREATE_TABLE_LIKE_IDENTITY
	TableLikeOption_CREATE_TABLE_LIKE_INDEXES     = pg_query.TableLikeOption_CREATE_TABLE_LIKE_INDEXES
	TableLikeOption_CREATE_TABLE_LIKE_STATISTICS  = pg_query.TableLikeOption_CREATE_TABLE_LIKE_STATISTICS
	TableLikeOption_CREATE_TABLE_LIKE_STORAGE     = pg_query.TableLikeOption_CREATE_TABLE_LIKE_STORAGE
	TableLikeOption_CREATE_TABLE_LIKE_ALL         = pg_query.TableLikeOption_CREATE_TABLE_LIKE_ALL
)

// Values of TransactionStmtKind.
const (
	TransactionStmtKind_TRANS_STMT_BEGIN             = pg_query.TransactionStmtKind_TRANS_STMT_BEGIN
	TransactionStmtKind_TRANS_STMT_START             = pg_query.TransactionStmtKind_TRANS_STMT_START
	TransactionStmtKind_TRANS_STMT_COMMIT            = pg_query.TransactionStmtKind_TRANS_STMT_COMMIT
	TransactionStmtKind_TRANS_STMT_ROLLBACK          = pg_query.TransactionStmtKind_TRANS_STMT_ROLLBACK
	TransactionStmtKind_TRANS_STMT_SAVEPOINT         = pg_query.TransactionStmtKind_TRANS_STMT_SAVEPOINT
	TransactionStmtKind_TRANS_STMT_RELEASE           = pg_query.TransactionStmtKind_TRANS_STMT_RELEASE
	TransactionStmtKind_TRANS_STMT_ROLLBACK_TO       = pg_query.TransactionStmtKind_TRANS_STMT_ROLLBACK_TO
	TransactionStmtKind_TRANS_STMT_PREPARE           = pg_query.TransactionStmtKind_TRANS_STMT_PREPARE
	TransactionStmtKind_TRANS_STMT_COMMIT_PREPARED   = pg_query.TransactionStmtKind_TRANS_STMT_COMMIT_PREPARED
	TransactionStmtKind_TRANS_STMT_ROLLBACK_PREPARED = pg_query.TransactionStmtKind_TRANS_STMT_ROLLBACK_PREPARED
)

// Values of VariableSetKind.
const (
	VariableSetKind_VAR_SET_VALUE   = pg_query.VariableSetKind_VAR_SET_VALUE
	VariableSetKind_VAR_SET_DEFAULT = pg_query.VariableSetKind_VAR_SET_DEFAULT
	VariableSetKind_VAR_SET_CURRENT = pg_query.VariableSetKind_VAR_SET_CURRENT
	VariableSetKind_VAR_SET_MULTI   = pg_query.VariableSetKind_VAR_SET_MULTI
	VariableSetKind_VAR_RESET       = pg_query.VariableSetKind_VAR_RESET
	VariableSetKind_VAR_RESET_ALL   = pg_query.VariableSetKind_VAR_RESET_ALL
)

// Values of ViewCheckOption.
const (
	ViewCheckOption_NO_CHECK_OPTION       = pg_query.ViewCheckOption_NO_CHECK_OPTION
	ViewCheckOption_LOCAL_CHECK_OPTION    = pg_query.ViewCheckOption_LOCAL_CHECK_OPTION
	ViewCheckOption_CASCADED_CHECK_OPTION = pg_query.ViewCheckOption_CASCADED_CHECK_OPTION
)

// Values of WCOKind.
const (
	WCOKind_WCO_VIEW_CHECK             = pg_query.WCOKind_WCO_VIEW_CHECK
	WCOKind_WCO_RLS_INSERT_CHECK       = pg_query.WCOKind_WCO_RLS_INSERT_CHECK
	WCOKind_WCO_RLS_UPDATE_CHECK       = pg_query.WCOKind_WCO_RLS_UPDATE_CHECK
	WCOKind_WCO_RLS_CONFLICT_CHECK     = pg_query.WCOKind_WCO_RLS_CONFLICT_CHECK
	WCOKind_WCO_RLS_MERGE_UPDATE_CHECK = pg_query.WCOKind_WCO_RLS_MERGE_UPDATE_CHECK
	WCOKind_WCO_RLS_MERGE_DELETE_CHECK = pg_query.WCOKind_WCO_RLS_MERGE_DELETE_CHECK
)

// Values of XmlExprOp.
const (
	XmlExprOp_IS_XMLCONCAT    = pg_query.XmlExprOp_IS_XMLCONCAT
	XmlExprOp_IS_XMLELEMENT   = pg_query.XmlExprOp_IS_XMLELEMENT
	XmlExprOp_IS_XMLFOREST    = pg_query.XmlExprOp_IS_XMLFOREST
	XmlExprOp_IS_XMLPARSE     = pg_query.XmlExprOp_IS_XMLPARSE
	XmlExprOp_IS_XMLPI        = pg_query.XmlExprOp_IS_XMLPI
	XmlExprOp_IS_XMLROOT      = pg_query.XmlExprOp_IS_XMLROOT
	XmlExprOp_IS_XMLSERIALIZE = pg_query.XmlExprOp_IS_XMLSERIALIZE
	XmlExprOp_IS_DOCUMENT     = pg_query.XmlExprOp_IS_DOCUMENT
)

// Values of XmlOptionType.
const (
	XmlOptionType_XMLOPTION_DOCUMENT = pg_query.XmlOptionType_XMLOPTION_DOCUMENT
	XmlOptionType_XMLOPTION_CONTENT  = pg_query.XmlOptionType_XMLOPTION_CONTENT
)
