CREATE TABLE pg_catalog.pg_aggregate (
	aggfnoid regproc NOT NULL,
	aggkind "char" NOT NULL,
	aggnumdirectargs smallint NOT NULL,
	aggtransfn regproc NOT NULL,
	aggfinalfn regproc NOT NULL,
	aggcombinefn regproc NOT NULL,
	aggserialfn regproc NOT NULL,
	aggdeserialfn regproc NOT NULL,
	aggmtransfn regproc NOT NULL,
	aggminvtransfn regproc NOT NULL,
	aggmfinalfn regproc NOT NULL,
	aggfinalextra boolean NOT NULL,
	aggmfinalextra boolean NOT NULL,
	aggfinalmodify "char" NOT NULL,
	aggmfinalmodify "char" NOT NULL,
	aggsortop oid NOT NULL,
	aggtranstype oid NOT NULL,
	aggtransspace integer NOT NULL,
	aggmtranstype oid NOT NULL,
	aggmtransspace integer NOT NULL,
	agginitval text,
	aggminitval text
);
CREATE TABLE pg_catalog.pg_am (
	oid oid NOT NULL,
	amname name NOT NULL,
	amhandler regproc NOT NULL,
	amtype "char" NOT NULL
);
CREATE TABLE pg_catalog.pg_amop (
	oid oid NOT NULL,
	amopfamily oid NOT NULL,
	amoplefttype oid NOT NULL,
	amoprighttype oid NOT NULL,
	amopstrategy smallint NOT NULL,
	amoppurpose "char" NOT NULL,
	amopopr oid NOT NULL,
	amopmethod oid NOT NULL,
	amopsortfamily oid NOT NULL
);
CREATE TABLE pg_catalog.pg_amproc (
	oid oid NOT NULL,
	amprocfamily oid NOT NULL,
	amproclefttype oid NOT NULL,
	amprocrighttype oid NOT NULL,
	amprocnum smallint NOT NULL,
	amproc regproc NOT NULL
);
CREATE TABLE pg_catalog.pg_attrdef (
	oid oid NOT NULL,
	adrelid oid NOT NULL,
	adnum smallint NOT NULL,
	adbin pg_node_tree NOT NULL
);
CREATE TABLE pg_catalog.pg_attribute (
	attrelid oid NOT NULL,
	attname name NOT NULL,
	atttypid oid NOT NULL,
	attstattarget integer NOT NULL,
	attlen smallint NOT NULL,
	attnum smallint NOT NULL,
	attndims integer NOT NULL,
	attcacheoff integer NOT NULL,
	atttypmod integer NOT NULL,
	attbyval boolean NOT NULL,
	attalign "char" NOT NULL,
	attstorage "char" NOT NULL,
	attcompression "char" NOT NULL,
	attnotnull boolean NOT NULL,
	atthasdef boolean NOT NULL,
	atthasmissing boolean NOT NULL,
	attidentity "char" NOT NULL,
	attgenerated "char" NOT NULL,
	attisdropped boolean NOT NULL,
	attislocal boolean NOT NULL,
	attinhcount integer NOT NULL,
	attcollation oid NOT NULL,
	attacl aclitem[],
	attoptions text[],
	attfdwoptions text[],
	attmissingval anyarray
);
CREATE TABLE pg_catalog.pg_auth_members (
	roleid oid NOT NULL,
	member oid NOT NULL,
	grantor oid NOT NULL,
	admin_option boolean NOT NULL
);
CREATE TABLE pg_catalog.pg_authid (
	oid oid NOT NULL,
	rolname name NOT NULL,
	rolsuper boolean NOT NULL,
	rolinherit boolean NOT NULL,
	rolcreaterole boolean NOT NULL,
	rolcreatedb boolean NOT NULL,
	rolcanlogin boolean NOT NULL,
	rolreplication boolean NOT NULL,
	rolbypassrls boolean NOT NULL,
	rolconnlimit integer NOT NULL,
	rolpassword text,
	rolvaliduntil timestamp with time zone
);
CREATE TABLE pg_catalog.pg_cast (
	oid oid NOT NULL,
	castsource oid NOT NULL,
	casttarget oid NOT NULL,
	castfunc oid NOT NULL,
	castcontext "char" NOT NULL,
	castmethod "char" NOT NULL
);
CREATE TABLE pg_catalog.pg_class (
	oid oid NOT NULL,
	relname name NOT NULL,
	relnamespace oid NOT NULL,
	reltype oid NOT NULL,
	reloftype oid NOT NULL,
	relowner oid NOT NULL,
	relam oid NOT NULL,
	relfilenode oid NOT NULL,
	reltablespace oid NOT NULL,
	relpages integer NOT NULL,
	reltuples real NOT NULL,
	relallvisible integer NOT NULL,
	reltoastrelid oid NOT NULL,
	relhasindex boolean NOT NULL,
	relisshared boolean NOT NULL,
	relpersistence "char" NOT NULL,
	relkind "char" NOT NULL,
	relnatts smallint NOT NULL,
	relchecks smallint NOT NULL,
	relhasrules boolean NOT NULL,
	relhastriggers boolean NOT NULL,
	relhassubclass boolean NOT NULL,
	relrowsecurity boolean NOT NULL,
	relforcerowsecurity boolean NOT NULL,
	relispopulated boolean NOT NULL,
	relreplident "char" NOT NULL,
	relispartition boolean NOT NULL,
	relrewrite oid NOT NULL,
	relfrozenxid xid NOT NULL,
	relminmxid xid NOT NULL,
	relacl aclitem[],
	reloptions text[],
	relpartbound pg_node_tree
);
CREATE TABLE pg_catalog.pg_collation (
	oid oid NOT NULL,
	collname name NOT NULL,
	collnamespace oid NOT NULL,
	collowner oid NOT NULL,
	collprovider "char" NOT NULL,
	collisdeterministic boolean NOT NULL,
	collencoding integer NOT NULL,
	collcollate text,
	collctype text,
	colliculocale text,
	collversion text
);
CREATE TABLE pg_catalog.pg_constraint (
	oid oid NOT NULL,
	conname name NOT NULL,
	connamespace oid NOT NULL,
	contype "char" NOT NULL,
	condeferrable boolean NOT NULL,
	condeferred boolean NOT NULL,
	convalidated boolean NOT NULL,
	conrelid oid NOT NULL,
	contypid oid NOT NULL,
	conindid oid NOT NULL,
	conparentid oid NOT NULL,
	confrelid oid NOT NULL,
	confupdtype "char" NOT NULL,
	confdeltype "char" NOT NULL,
	confmatchtype "char" NOT NULL,
	conislocal boolean NOT NULL,
	coninhcount integer NOT NULL,
	connoinherit boolean NOT NULL,
	conkey smallint[],
	confkey smallint[],
	conpfeqop oid[],
	conppeqop oid[],
	conffeqop oid[],
	confdelsetcols smallint[],
	conexclop oid[],
	conbin pg_node_tree
);
CREATE TABLE pg_catalog.pg_conversion (
	oid oid NOT NULL,
	conname name NOT NULL,
	connamespace oid NOT NULL,
	conowner oid NOT NULL,
	conforencoding integer NOT NULL,
	contoencoding integer NOT NULL,
	conproc regproc NOT NULL,
	condefault boolean NOT NULL
);
CREATE TABLE pg_catalog.pg_database (
	oid oid NOT NULL,
	datname name NOT NULL,
	datdba oid NOT NULL,
	encoding integer NOT NULL,
	datlocprovider "char" NOT NULL,
	datistemplate boolean NOT NULL,
	datallowconn boolean NOT NULL,
	datconnlimit integer NOT NULL,
	datfrozenxid xid NOT NULL,
	datminmxid xid NOT NULL,
	dattablespace oid NOT NULL,
	datcollate text NOT NULL,
	datctype text NOT NULL,
	daticulocale text,
	datcollversion text,
	datacl aclitem[]
);
CREATE TABLE pg_catalog.pg_db_role_setting (
	setdatabase oid NOT NULL,
	setrole oid NOT NULL,
	setconfig text[]
);
CREATE TABLE pg_catalog.pg_default_acl (
	oid oid NOT NULL,
	defaclrole oid NOT NULL,
	defaclnamespace oid NOT NULL,
	defaclobjtype "char" NOT NULL,
	defaclacl aclitem[] NOT NULL
);
CREATE TABLE pg_catalog.pg_depend (
	classid oid NOT NULL,
	objid oid NOT NULL,
	objsubid integer NOT NULL,
	refclassid oid NOT NULL,
	refobjid oid NOT NULL,
	refobjsubid integer NOT NULL,
	deptype "char" NOT NULL
);
CREATE TABLE pg_catalog.pg_description (
	objoid oid NOT NULL,
	classoid oid NOT NULL,
	objsubid integer NOT NULL,
	description text NOT NULL
);
CREATE TABLE pg_catalog.pg_enum (
	oid oid NOT NULL,
	enumtypid oid NOT NULL,
	enumsortorder real NOT NULL,
	enumlabel name NOT NULL
);
CREATE TABLE pg_catalog.pg_event_trigger (
	oid oid NOT NULL,
	evtname name NOT NULL,
	evtevent name NOT NULL,
	evtowner oid NOT NULL,
	evtfoid oid NOT NULL,
	evtenabled "char" NOT NULL,
	evttags text[]
);
CREATE TABLE pg_catalog.pg_extension (
	oid oid NOT NULL,
	extname name NOT NULL,
	extowner oid NOT NULL,
	extnamespace oid NOT NULL,
	extrelocatable boolean NOT NULL,
	extversion text NOT NULL,
	extconfig oid[],
	extcondition text[]
);
CREATE TABLE pg_catalog.pg_foreign_data_wrapper (
	oid oid NOT NULL,
	fdwname name NOT NULL,
	fdwowner oid NOT NULL,
	fdwhandler oid NOT NULL,
	fdwvalidator oid NOT NULL,
	fdwacl aclitem[],
	fdwoptions text[]
);
CREATE TABLE pg_catalog.pg_foreign_server (
	oid oid NOT NULL,
	srvname name NOT NULL,
	srvowner oid NOT NULL,
	srvfdw oid NOT NULL,
	srvtype text,
	srvversion text,
	srvacl aclitem[],
	srvoptions text[]
);
CREATE TABLE pg_catalog.pg_foreign_table (
	ftrelid oid NOT NULL,
	ftserver oid NOT NULL,
	ftoptions text[]
);
CREATE TABLE pg_catalog.pg_index (
	indexrelid oid NOT NULL,
	indrelid oid NOT NULL,
	indnatts smallint NOT NULL,
	indnkeyatts smallint NOT NULL,
	indisunique boolean NOT NULL,
	indnullsnotdistinct boolean NOT NULL,
	indisprimary boolean NOT NULL,
	indisexclusion boolean NOT NULL,
	indimmediate boolean NOT NULL,
	indisclustered boolean NOT NULL,
	indisvalid boolean NOT NULL,
	indcheckxmin boolean NOT NULL,
	indisready boolean NOT NULL,
	indislive boolean NOT NULL,
	indisreplident boolean NOT NULL,
	indkey int2vector NOT NULL,
	indcollation oidvector NOT NULL,
	indclass oidvector NOT NULL,
	indoption int2vector NOT NULL,
	indexprs pg_node_tree,
	indpred pg_node_tree
);
CREATE TABLE pg_catalog.pg_inherits (
	inhrelid oid NOT NULL,
	inhparent oid NOT NULL,
	inhseqno integer NOT NULL,
	inhdetachpending boolean NOT NULL
);
CREATE TABLE pg_catalog.pg_init_privs (
	objoid oid NOT NULL,
	classoid oid NOT NULL,
	objsubid integer NOT NULL,
	privtype "char" NOT NULL,
	initprivs aclitem[] NOT NULL
);
CREATE TABLE pg_catalog.pg_language (
	oid oid NOT NULL,
	lanname name NOT NULL,
	lanowner oid NOT NULL,
	lanispl boolean NOT NULL,
	lanpltrusted boolean NOT NULL,
	lanplcallfoid oid NOT NULL,
	laninline oid NOT NULL,
	lanvalidator oid NOT NULL,
	lanacl aclitem[]
);
CREATE TABLE pg_catalog.pg_largeobject (
	loid oid NOT NULL,
	pageno integer NOT NULL,
	data bytea NOT NULL
);
CREATE TABLE pg_catalog.pg_largeobject_metadata (
	oid oid NOT NULL,
	lomowner oid NOT NULL,
	lomacl aclitem[]
);
CREATE TABLE pg_catalog.pg_namespace (
	oid oid NOT NULL,
	nspname name NOT NULL,
	nspowner oid NOT NULL,
	nspacl aclitem[]
);
CREATE TABLE pg_catalog.pg_opclass (
	oid oid NOT NULL,
	opcmethod oid NOT NULL,
	opcname name NOT NULL,
	opcnamespace oid NOT NULL,
	opcowner oid NOT NULL,
	opcfamily oid NOT NULL,
	opcintype oid NOT NULL,
	opcdefault boolean NOT NULL,
	opckeytype oid NOT NULL
);
CREATE TABLE pg_catalog.pg_operator (
	oid oid NOT NULL,
	oprname name NOT NULL,
	oprnamespace oid NOT NULL,
	oprowner oid NOT NULL,
	oprkind "char" NOT NULL,
	oprcanmerge boolean NOT NULL,
	oprcanhash boolean NOT NULL,
	oprleft oid NOT NULL,
	oprright oid NOT NULL,
	oprresult oid NOT NULL,
	oprcom oid NOT NULL,
	oprnegate oid NOT NULL,
	oprcode regproc NOT NULL,
	oprrest regproc NOT NULL,
	oprjoin regproc NOT NULL
);
CREATE TABLE pg_catalog.pg_opfamily (
	oid oid NOT NULL,
	opfmethod oid NOT NULL,
	opfname name NOT NULL,
	opfnamespace oid NOT NULL,
	opfowner oid NOT NULL
);
CREATE TABLE pg_catalog.pg_parameter_acl (
	oid oid NOT NULL,
	parname text NOT NULL,
	paracl aclitem[]
);
CREATE TABLE pg_catalog.pg_partitioned_table (
	partrelid oid NOT NULL,
	partstrat "char" NOT NULL,
	partnatts smallint NOT NULL,
	partdefid oid NOT NULL,
	partattrs int2vector NOT NULL,
	partclass oidvector NOT NULL,
	partcollation oidvector NOT NULL,
	partexprs pg_node_tree
);
CREATE TABLE pg_catalog.pg_policy (
	oid oid NOT NULL,
	polname name NOT NULL,
	polrelid oid NOT NULL,
	polcmd "char" NOT NULL,
	polpermissive boolean NOT NULL,
	polroles oid[] NOT NULL,
	polqual pg_node_tree,
	polwithcheck pg_node_tree
);
CREATE TABLE pg_catalog.pg_proc (
	oid oid NOT NULL,
	proname name NOT NULL,
	pronamespace oid NOT NULL,
	proowner oid NOT NULL,
	prolang oid NOT NULL,
	procost real NOT NULL,
	prorows real NOT NULL,
	provariadic oid NOT NULL,
	prosupport regproc NOT NULL,
	prokind "char" NOT NULL,
	prosecdef boolean NOT NULL,
	proleakproof boolean NOT NULL,
	proisstrict boolean NOT NULL,
	proretset boolean NOT NULL,
	provolatile "char" NOT NULL,
	proparallel "char" NOT NULL,
	pronargs smallint NOT NULL,
	pronargdefaults smallint NOT NULL,
	prorettype oid NOT NULL,
	proargtypes oidvector NOT NULL,
	proallargtypes oid[],
	proargmodes "char"[],
	proargnames text[],
	proargdefaults pg_node_tree,
	protrftypes oid[],
	prosrc text NOT NULL,
	probin text,
	prosqlbody pg_node_tree,
	proconfig text[],
	proacl aclitem[]
);
CREATE TABLE pg_catalog.pg_publication (
	oid oid NOT NULL,
	pubname name NOT NULL,
	pubowner oid NOT NULL,
	puballtables boolean NOT NULL,
	pubinsert boolean NOT NULL,
	pubupdate boolean NOT NULL,
	pubdelete boolean NOT NULL,
	pubtruncate boolean NOT NULL,
	pubviaroot boolean NOT NULL
);
CREATE TABLE pg_catalog.pg_publication_namespace (
	oid oid NOT NULL,
	pnpubid oid NOT NULL,
	pnnspid oid NOT NULL
);
CREATE TABLE pg_catalog.pg_publication_rel (
	oid oid NOT NULL,
	prpubid oid NOT NULL,
	prrelid oid NOT NULL,
	prqual pg_node_tree,
	prattrs int2vector
);
CREATE TABLE pg_catalog.pg_range (
	rngtypid oid NOT NULL,
	rngsubtype oid NOT NULL,
	rngmultitypid oid NOT NULL,
	rngcollation oid NOT NULL,
	rngsubopc oid NOT NULL,
	rngcanonical regproc NOT NULL,
	rngsubdiff regproc NOT NULL
);
CREATE TABLE pg_catalog.pg_replication_origin (
	roident oid NOT NULL,
	roname text NOT NULL
);
CREATE TABLE pg_catalog.pg_rewrite (
	oid oid NOT NULL,
	rulename name NOT NULL,
	ev_class oid NOT NULL,
	ev_type "char" NOT NULL,
	ev_enabled "char" NOT NULL,
	is_instead boolean NOT NULL,
	ev_qual pg_node_tree NOT NULL,
	ev_action pg_node_tree NOT NULL
);
CREATE TABLE pg_catalog.pg_seclabel (
	objoid oid NOT NULL,
	classoid oid NOT NULL,
	objsubid integer NOT NULL,
	provider text NOT NULL,
	label text NOT NULL
);
CREATE TABLE pg_catalog.pg_sequence (
	seqrelid oid NOT NULL,
	seqtypid oid NOT NULL,
	seqstart bigint NOT NULL,
	seqincrement bigint NOT NULL,
	seqmax bigint NOT NULL,
	seqmin bigint NOT NULL,
	seqcache bigint NOT NULL,
	seqcycle boolean NOT NULL
);
CREATE TABLE pg_catalog.pg_shdepend (
	dbid oid NOT NULL,
	classid oid NOT NULL,
	objid oid NOT NULL,
	objsubid integer NOT NULL,
	refclassid oid NOT NULL,
	refobjid oid NOT NULL,
	deptype "char" NOT NULL
);
CREATE TABLE pg_catalog.pg_shdescription (
	objoid oid NOT NULL,
	classoid oid NOT NULL,
	description text NOT NULL
);
CREATE TABLE pg_catalog.pg_shseclabel (
	objoid oid NOT NULL,
	classoid oid NOT NULL,
	provider text NOT NULL,
	label text NOT NULL
);
CREATE TABLE pg_catalog.pg_statistic (
	starelid oid NOT NULL,
	staattnum smallint NOT NULL,
	stainherit boolean NOT NULL,
	stanullfrac real NOT NULL,
	stawidth integer NOT NULL,
	stadistinct real NOT NULL,
	stakind1 smallint NOT NULL,
	stakind2 smallint NOT NULL,
	stakind3 smallint NOT NULL,
	stakind4 smallint NOT NULL,
	stakind5 smallint NOT NULL,
	staop1 oid NOT NULL,
	staop2 oid NOT NULL,
	staop3 oid NOT NULL,
	staop4 oid NOT NULL,
	staop5 oid NOT NULL,
	stacoll1 oid NOT NULL,
	stacoll2 oid NOT NULL,
	stacoll3 oid NOT NULL,
	stacoll4 oid NOT NULL,
	stacoll5 oid NOT NULL,
	stanumbers1 real[],
	stanumbers2 real[],
	stanumbers3 real[],
	stanumbers4 real[],
	stanumbers5 real[],
	stavalues1 anyarray,
	stavalues2 anyarray,
	stavalues3 anyarray,
	stavalues4 anyarray,
	stavalues5 anyarray
);
CREATE TABLE pg_catalog.pg_statistic_ext (
	oid oid NOT NULL,
	stxrelid oid NOT NULL,
	stxname name NOT NULL,
	stxnamespace oid NOT NULL,
	stxowner oid NOT NULL,
	stxstattarget integer NOT NULL,
	stxkeys int2vector NOT NULL,
	stxkind "char"[] NOT NULL,
	stxexprs pg_node_tree
);
CREATE TABLE pg_catalog.pg_statistic_ext_data (
	stxoid oid NOT NULL,
	stxdinherit boolean NOT NULL,
	stxdndistinct pg_ndistinct,
	stxddependencies pg_dependencies,
	stxdmcv pg_mcv_list,
	stxdexpr pg_statistic[]
);
CREATE TABLE pg_catalog.pg_subscription (
	oid oid NOT NULL,
	subdbid oid NOT NULL,
	subskiplsn pg_lsn NOT NULL,
	subname name NOT NULL,
	subowner oid NOT NULL,
	subenabled boolean NOT NULL,
	subbinary boolean NOT NULL,
	substream boolean NOT NULL,
	subtwophasestate "char" NOT NULL,
	subdisableonerr boolean NOT NULL,
	subconninfo text NOT NULL,
	subslotname name,
	subsynccommit text NOT NULL,
	subpublications text[] NOT NULL
);
CREATE TABLE pg_catalog.pg_subscription_rel (
	srsubid oid NOT NULL,
	srrelid oid NOT NULL,
	srsubstate "char" NOT NULL,
	srsublsn pg_lsn
);
CREATE TABLE pg_catalog.pg_tablespace (
	oid oid NOT NULL,
	spcname name NOT NULL,
	spcowner oid NOT NULL,
	spcacl aclitem[],
	spcoptions text[]
);
CREATE TABLE pg_catalog.pg_transform (
	oid oid NOT NULL,
	trftype oid NOT NULL,
	trflang oid NOT NULL,
	trffromsql regproc NOT NULL,
	trftosql regproc NOT NULL
);
CREATE TABLE pg_catalog.pg_trigger (
	oid oid NOT NULL,
	tgrelid oid NOT NULL,
	tgparentid oid NOT NULL,
	tgname name NOT NULL,
	tgfoid oid NOT NULL,
	tgtype smallint NOT NULL,
	tgenabled "char" NOT NULL,
	tgisinternal boolean NOT NULL,
	tgconstrrelid oid NOT NULL,
	tgconstrindid oid NOT NULL,
	tgconstraint oid NOT NULL,
	tgdeferrable boolean NOT NULL,
	tginitdeferred boolean NOT NULL,
	tgnargs smallint NOT NULL,
	tgattr int2vector NOT NULL,
	tgargs bytea NOT NULL,
	tgqual pg_node_tree,
	tgoldtable name,
	tgnewtable name
);
CREATE TABLE pg_catalog.pg_ts_config (
	oid oid NOT NULL,
	cfgname name NOT NULL,
	cfgnamespace oid NOT NULL,
	cfgowner oid NOT NULL,
	cfgparser oid NOT NULL
);
CREATE TABLE pg_catalog.pg_ts_config_map (
	mapcfg oid NOT NULL,
	maptokentype integer NOT NULL,
	mapseqno integer NOT NULL,
	mapdict oid NOT NULL
);
CREATE TABLE pg_catalog.pg_ts_dict (
	oid oid NOT NULL,
	dictname name NOT NULL,
	dictnamespace oid NOT NULL,
	dictowner oid NOT NULL,
	dicttemplate oid NOT NULL,
	dictinitoption text
);
CREATE TABLE pg_catalog.pg_ts_parser (
	oid oid NOT NULL,
	prsname name NOT NULL,
	prsnamespace oid NOT NULL,
	prsstart regproc NOT NULL,
	prstoken regproc NOT NULL,
	prsend regproc NOT NULL,
	prsheadline regproc NOT NULL,
	prslextype regproc NOT NULL
);
CREATE TABLE pg_catalog.pg_ts_template (
	oid oid NOT NULL,
	tmplname name NOT NULL,
	tmplnamespace oid NOT NULL,
	tmplinit regproc NOT NULL,
	tmpllexize regproc NOT NULL
);
CREATE TABLE pg_catalog.pg_type (
	oid oid NOT NULL,
	typname name NOT NULL,
	typnamespace oid NOT NULL,
	typowner oid NOT NULL,
	typlen smallint NOT NULL,
	typbyval boolean NOT NULL,
	typtype "char" NOT NULL,
	typcategory "char" NOT NULL,
	typispreferred boolean NOT NULL,
	typisdefined boolean NOT NULL,
	typdelim "char" NOT NULL,
	typrelid oid NOT NULL,
	typsubscript regproc NOT NULL,
	typelem oid NOT NULL,
	typarray oid NOT NULL,
	typinput regproc NOT NULL,
	typoutput regproc NOT NULL,
	typreceive regproc NOT NULL,
	typsend regproc NOT NULL,
	typmodin regproc NOT NULL,
	typmodout regproc NOT NULL,
	typanalyze regproc NOT NULL,
	typalign "char" NOT NULL,
	typstorage "char" NOT NULL,
	typnotnull boolean NOT NULL,
	typbasetype oid NOT NULL,
	typtypmod integer NOT NULL,
	typndims integer NOT NULL,
	typcollation oid NOT NULL,
	typdefaultbin pg_node_tree,
	typdefault text,
	typacl aclitem[]
);
CREATE TABLE pg_catalog.pg_user_mapping (
	oid oid NOT NULL,
	umuser oid NOT NULL,
	umserver oid NOT NULL,
	umoptions text[]
);
CREATE UNIQUE INDEX pg_aggregate_fnoid_index ON pg_catalog.pg_aggregate USING btree (aggfnoid);
CREATE UNIQUE INDEX pg_am_name_index ON pg_catalog.pg_am USING btree (amname);
CREATE UNIQUE INDEX pg_am_oid_index ON pg_catalog.pg_am USING btree (oid);
CREATE UNIQUE INDEX pg_amop_fam_strat_index ON pg_catalog.pg_amop USING btree (amopfamily, amoplefttype, amoprighttype, amopstrategy);
CREATE UNIQUE INDEX pg_amop_oid_index ON pg_catalog.pg_amop USING btree (oid);
CREATE UNIQUE INDEX pg_amop_opr_fam_index ON pg_catalog.pg_amop USING btree (amopopr, amoppurpose, amopfamily);
CREATE UNIQUE INDEX pg_amproc_fam_proc_index ON pg_catalog.pg_amproc USING btree (amprocfamily, amproclefttype, amprocrighttype, amprocnum);
CREATE UNIQUE INDEX pg_amproc_oid_index ON pg_catalog.pg_amproc USING btree (oid);
CREATE UNIQUE INDEX pg_attrdef_adrelid_adnum_index ON pg_catalog.pg_attrdef USING btree (adrelid, adnum);
CREATE UNIQUE INDEX pg_attrdef_oid_index ON pg_catalog.pg_attrdef USING btree (oid);
CREATE UNIQUE INDEX pg_attribute_relid_attnam_index ON pg_catalog.pg_attribute USING btree (attrelid, attname);
CREATE UNIQUE INDEX pg_attribute_relid_attnum_index ON pg_catalog.pg_attribute USING btree (attrelid, attnum);
CREATE UNIQUE INDEX pg_auth_members_member_role_index ON pg_catalog.pg_auth_members USING btree (member, roleid);
CREATE UNIQUE INDEX pg_auth_members_role_member_index ON pg_catalog.pg_auth_members USING btree (roleid, member);
CREATE UNIQUE INDEX pg_authid_oid_index ON pg_catalog.pg_authid USING btree (oid);
CREATE UNIQUE INDEX pg_authid_rolname_index ON pg_catalog.pg_authid USING btree (rolname);
CREATE UNIQUE INDEX pg_cast_oid_index ON pg_catalog.pg_cast USING btree (oid);
CREATE UNIQUE INDEX pg_cast_source_target_index ON pg_catalog.pg_cast USING btree (castsource, casttarget);
CREATE UNIQUE INDEX pg_class_oid_index ON pg_catalog.pg_class USING btree (oid);
CREATE UNIQUE INDEX pg_class_relname_nsp_index ON pg_catalog.pg_class USING btree (relname, relnamespace);
CREATE UNIQUE INDEX pg_collation_name_enc_nsp_index ON pg_catalog.pg_collation USING btree (collname, collencoding, collnamespace);
CREATE UNIQUE INDEX pg_collation_oid_index ON pg_catalog.pg_collation USING btree (oid);
CREATE UNIQUE INDEX pg_constraint_conrelid_contypid_conname_index ON pg_catalog.pg_constraint USING btree (conrelid, contypid, conname);
CREATE UNIQUE INDEX pg_constraint_oid_index ON pg_catalog.pg_constraint USING btree (oid);
CREATE UNIQUE INDEX pg_conversion_default_index ON pg_catalog.pg_conversion USING btree (connamespace, conforencoding, contoencoding, oid);
CREATE UNIQUE INDEX pg_conversion_name_nsp_index ON pg_catalog.pg_conversion USING btree (conname, connamespace);
CREATE UNIQUE INDEX pg_conversion_oid_index ON pg_catalog.pg_conversion USING btree (oid);
CREATE UNIQUE INDEX pg_database_datname_index ON pg_catalog.pg_database USING btree (datname);
CREATE UNIQUE INDEX pg_database_oid_index ON pg_catalog.pg_database USING btree (oid);
CREATE UNIQUE INDEX pg_db_role_setting_databaseid_rol_index ON pg_catalog.pg_db_role_setting USING btree (setdatabase, setrole);
CREATE UNIQUE INDEX pg_default_acl_oid_index ON pg_catalog.pg_default_acl USING btree (oid);
CREATE UNIQUE INDEX pg_default_acl_role_nsp_obj_index ON pg_catalog.pg_default_acl USING btree (defaclrole, defaclnamespace, defaclobjtype);
CREATE UNIQUE INDEX pg_description_o_c_o_index ON pg_catalog.pg_description USING btree (objoid, classoid, objsubid);
CREATE UNIQUE INDEX pg_enum_oid_index ON pg_catalog.pg_enum USING btree (oid);
CREATE UNIQUE INDEX pg_enum_typid_label_index ON pg_catalog.pg_enum USING btree (enumtypid, enumlabel);
CREATE UNIQUE INDEX pg_enum_typid_sortorder_index ON pg_catalog.pg_enum USING btree (enumtypid, enumsortorder);
CREATE UNIQUE INDEX pg_event_trigger_evtname_index ON pg_catalog.pg_event_trigger USING btree (evtname);
CREATE UNIQUE INDEX pg_event_trigger_oid_index ON pg_catalog.pg_event_trigger USING btree (oid);
CREATE UNIQUE INDEX pg_extension_name_index ON pg_catalog.pg_extension USING btree (extname);
CREATE UNIQUE INDEX pg_extension_oid_index ON pg_catalog.pg_extension USING btree (oid);
CREATE UNIQUE INDEX pg_foreign_data_wrapper_name_index ON pg_catalog.pg_foreign_data_wrapper USING btree (fdwname);
CREATE UNIQUE INDEX pg_foreign_data_wrapper_oid_index ON pg_catalog.pg_foreign_data_wrapper USING btree (oid);
CREATE UNIQUE INDEX pg_foreign_server_name_index ON pg_catalog.pg_foreign_server USING btree (srvname);
CREATE UNIQUE INDEX pg_foreign_server_oid_index ON pg_catalog.pg_foreign_server USING btree (oid);
CREATE UNIQUE INDEX pg_foreign_table_relid_index ON pg_catalog.pg_foreign_table USING btree (ftrelid);
CREATE UNIQUE INDEX pg_index_indexrelid_index ON pg_catalog.pg_index USING btree (indexrelid);
CREATE UNIQUE INDEX pg_inherits_relid_seqno_index ON pg_catalog.pg_inherits USING btree (inhrelid, inhseqno);
CREATE UNIQUE INDEX pg_init_privs_o_c_o_index ON pg_catalog.pg_init_privs USING btree (objoid, classoid, objsubid);
CREATE UNIQUE INDEX pg_language_name_index ON pg_catalog.pg_language USING btree (lanname);
CREATE UNIQUE INDEX pg_language_oid_index ON pg_catalog.pg_language USING btree (oid);
CREATE UNIQUE INDEX pg_largeobject_loid_pn_index ON pg_catalog.pg_largeobject USING btree (loid, pageno);
CREATE UNIQUE INDEX pg_largeobject_metadata_oid_index ON pg_catalog.pg_largeobject_metadata USING btree (oid);
CREATE UNIQUE INDEX pg_namespace_nspname_index ON pg_catalog.pg_namespace USING btree (nspname);
CREATE UNIQUE INDEX pg_namespace_oid_index ON pg_catalog.pg_namespace USING btree (oid);
CREATE UNIQUE INDEX pg_opclass_am_name_nsp_index ON pg_catalog.pg_opclass USING btree (opcmethod, opcname, opcnamespace);
CREATE UNIQUE INDEX pg_opclass_oid_index ON pg_catalog.pg_opclass USING btree (oid);
CREATE UNIQUE INDEX pg_operator_oid_index ON pg_catalog.pg_operator USING btree (oid);
CREATE UNIQUE INDEX pg_operator_oprname_l_r_n_index ON pg_catalog.pg_operator USING btree (oprname, oprleft, oprright, oprnamespace);
CREATE UNIQUE INDEX pg_opfamily_am_name_nsp_index ON pg_catalog.pg_opfamily USING btree (opfmethod, opfname, opfnamespace);
CREATE UNIQUE INDEX pg_opfamily_oid_index ON pg_catalog.pg_opfamily USING btree (oid);
CREATE UNIQUE INDEX pg_parameter_acl_oid_index ON pg_catalog.pg_parameter_acl USING btree (oid);
CREATE UNIQUE INDEX pg_parameter_acl_parname_index ON pg_catalog.pg_parameter_acl USING btree (parname);
CREATE UNIQUE INDEX pg_partitioned_table_partrelid_index ON pg_catalog.pg_partitioned_table USING btree (partrelid);
CREATE UNIQUE INDEX pg_policy_oid_index ON pg_catalog.pg_policy USING btree (oid);
CREATE UNIQUE INDEX pg_policy_polrelid_polname_index ON pg_catalog.pg_policy USING btree (polrelid, polname);
CREATE UNIQUE INDEX pg_proc_oid_index ON pg_catalog.pg_proc USING btree (oid);
CREATE UNIQUE INDEX pg_proc_proname_args_nsp_index ON pg_catalog.pg_proc USING btree (proname, proargtypes, pronamespace);
CREATE UNIQUE INDEX pg_publication_namespace_oid_index ON pg_catalog.pg_publication_namespace USING btree (oid);
CREATE UNIQUE INDEX pg_publication_namespace_pnnspid_pnpubid_index ON pg_catalog.pg_publication_namespace USING btree (pnnspid, pnpubid);
CREATE UNIQUE INDEX pg_publication_oid_index ON pg_catalog.pg_publication USING btree (oid);
CREATE UNIQUE INDEX pg_publication_pubname_index ON pg_catalog.pg_publication USING btree (pubname);
CREATE UNIQUE INDEX pg_publication_rel_oid_index ON pg_catalog.pg_publication_rel USING btree (oid);
CREATE UNIQUE INDEX pg_publication_rel_prrelid_prpubid_index ON pg_catalog.pg_publication_rel USING btree (prrelid, prpubid);
CREATE UNIQUE INDEX pg_range_rngmultitypid_index ON pg_catalog.pg_range USING btree (rngmultitypid);
CREATE UNIQUE INDEX pg_range_rngtypid_index ON pg_catalog.pg_range USING btree (rngtypid);
CREATE UNIQUE INDEX pg_replication_origin_roiident_index ON pg_catalog.pg_replication_origin USING btree (roident);
CREATE UNIQUE INDEX pg_replication_origin_roname_index ON pg_catalog.pg_replication_origin USING btree (roname);
CREATE UNIQUE INDEX pg_rewrite_oid_index ON pg_catalog.pg_rewrite USING btree (oid);
CREATE UNIQUE INDEX pg_rewrite_rel_rulename_index ON pg_catalog.pg_rewrite USING btree (ev_class, rulename);
CREATE UNIQUE INDEX pg_seclabel_object_index ON pg_catalog.pg_seclabel USING btree (objoid, classoid, objsubid, provider);
CREATE UNIQUE INDEX pg_sequence_seqrelid_index ON pg_catalog.pg_sequence USING btree (seqrelid);
CREATE UNIQUE INDEX pg_shdescription_o_c_index ON pg_catalog.pg_shdescription USING btree (objoid, classoid);
CREATE UNIQUE INDEX pg_shseclabel_object_index ON pg_catalog.pg_shseclabel USING btree (objoid, classoid, provider);
CREATE UNIQUE INDEX pg_statistic_ext_data_stxoid_inh_index ON pg_catalog.pg_statistic_ext_data USING btree (stxoid, stxdinherit);
CREATE UNIQUE INDEX pg_statistic_ext_name_index ON pg_catalog.pg_statistic_ext USING btree (stxname, stxnamespace);
CREATE UNIQUE INDEX pg_statistic_ext_oid_index ON pg_catalog.pg_statistic_ext USING btree (oid);
CREATE UNIQUE INDEX pg_statistic_relid_att_inh_index ON pg_catalog.pg_statistic USING btree (starelid, staattnum, stainherit);
CREATE UNIQUE INDEX pg_subscription_oid_index ON pg_catalog.pg_subscription USING btree (oid);
CREATE UNIQUE INDEX pg_subscription_rel_srrelid_srsubid_index ON pg_catalog.pg_subscription_rel USING btree (srrelid, srsubid);
CREATE UNIQUE INDEX pg_subscription_subname_index ON pg_catalog.pg_subscription USING btree (subdbid, subname);
CREATE UNIQUE INDEX pg_tablespace_oid_index ON pg_catalog.pg_tablespace USING btree (oid);
CREATE UNIQUE INDEX pg_tablespace_spcname_index ON pg_catalog.pg_tablespace USING btree (spcname);
CREATE UNIQUE INDEX pg_transform_oid_index ON pg_catalog.pg_transform USING btree (oid);
CREATE UNIQUE INDEX pg_transform_type_lang_index ON pg_catalog.pg_transform USING btree (trftype, trflang);
CREATE UNIQUE INDEX pg_trigger_oid_index ON pg_catalog.pg_trigger USING btree (oid);
CREATE UNIQUE INDEX pg_trigger_tgrelid_tgname_index ON pg_catalog.pg_trigger USING btree (tgrelid, tgname);
CREATE UNIQUE INDEX pg_ts_config_cfgname_index ON pg_catalog.pg_ts_config USING btree (cfgname, cfgnamespace);
CREATE UNIQUE INDEX pg_ts_config_map_index ON pg_catalog.pg_ts_config_map USING btree (mapcfg, maptokentype, mapseqno);
CREATE UNIQUE INDEX pg_ts_config_oid_index ON pg_catalog.pg_ts_config USING btree (oid);
CREATE UNIQUE INDEX pg_ts_dict_dictname_index ON pg_catalog.pg_ts_dict USING btree (dictname, dictnamespace);
CREATE UNIQUE INDEX pg_ts_dict_oid_index ON pg_catalog.pg_ts_dict USING btree (oid);
CREATE UNIQUE INDEX pg_ts_parser_oid_index ON pg_catalog.pg_ts_parser USING btree (oid);
CREATE UNIQUE INDEX pg_ts_parser_prsname_index ON pg_catalog.pg_ts_parser USING btree (prsname, prsnamespace);
CREATE UNIQUE INDEX pg_ts_template_oid_index ON pg_catalog.pg_ts_template USING btree (oid);
CREATE UNIQUE INDEX pg_ts_template_tmplname_index ON pg_catalog.pg_ts_template USING btree (tmplname, tmplnamespace);
CREATE UNIQUE INDEX pg_type_oid_index ON pg_catalog.pg_type USING btree (oid);
CREATE UNIQUE INDEX pg_type_typname_nsp_index ON pg_catalog.pg_type USING btree (typname, typnamespace);
CREATE UNIQUE INDEX pg_user_mapping_oid_index ON pg_catalog.pg_user_mapping USING btree (oid);
CREATE UNIQUE INDEX pg_user_mapping_user_server_index ON pg_catalog.pg_user_mapping USING btree (umuser, umserver);
-- pg_aggregate.aggcombinefn -> pg_proc.oid
-- pg_aggregate.aggdeserialfn -> pg_proc.oid
-- pg_aggregate.aggfinalfn -> pg_proc.oid
-- pg_aggregate.aggfnoid -> pg_proc.oid
-- pg_aggregate.aggmfinalfn -> pg_proc.oid
-- pg_aggregate.aggminvtransfn -> pg_proc.oid
-- pg_aggregate.aggmtransfn -> pg_proc.oid
-- pg_aggregate.aggmtranstype -> pg_type.oid
-- pg_aggregate.aggserialfn -> pg_proc.oid
-- pg_aggregate.aggsortop -> pg_operator.oid
-- pg_aggregate.aggtransfn -> pg_proc.oid
-- pg_aggregate.aggtranstype -> pg_type.oid
-- pg_am.amhandler -> pg_proc.oid
-- pg_amop.amopfamily -> pg_opfamily.oid
-- pg_amop.amoplefttype -> pg_type.oid
-- pg_amop.amopmethod -> pg_am.oid
-- pg_amop.amopopr -> pg_operator.oid
-- pg_amop.amoprighttype -> pg_type.oid
-- pg_amop.amopsortfamily -> pg_opfamily.oid
-- pg_amproc.amproc -> pg_proc.oid
-- pg_amproc.amprocfamily -> pg_opfamily.oid
-- pg_amproc.amproclefttype -> pg_type.oid
-- pg_amproc.amprocrighttype -> pg_type.oid
-- pg_attrdef.adrelid -> pg_class.oid
-- pg_attribute.attcollation -> pg_collation.oid
-- pg_attribute.attrelid -> pg_class.oid
-- pg_attribute.atttypid -> pg_type.oid
-- pg_auth_members.grantor -> pg_authid.oid
-- pg_auth_members.member -> pg_authid.oid
-- pg_auth_members.roleid -> pg_authid.oid
-- pg_cast.castfunc -> pg_proc.oid
-- pg_cast.castsource -> pg_type.oid
-- pg_cast.casttarget -> pg_type.oid
-- pg_class.relam -> pg_am.oid
-- pg_class.relnamespace -> pg_namespace.oid
-- pg_class.reloftype -> pg_type.oid
-- pg_class.relowner -> pg_authid.oid
-- pg_class.relrewrite -> pg_class.oid
-- pg_class.reltablespace -> pg_tablespace.oid
-- pg_class.reltoastrelid -> pg_class.oid
-- pg_class.reltype -> pg_type.oid
-- pg_collation.collnamespace -> pg_namespace.oid
-- pg_collation.collowner -> pg_authid.oid
-- pg_constraint.confrelid -> pg_class.oid
-- pg_constraint.conindid -> pg_class.oid
-- pg_constraint.connamespace -> pg_namespace.oid
-- pg_constraint.conparentid -> pg_constraint.oid
-- pg_constraint.conrelid -> pg_class.oid
-- pg_constraint.contypid -> pg_type.oid
-- pg_conversion.connamespace -> pg_namespace.oid
-- pg_conversion.conowner -> pg_authid.oid
-- pg_conversion.conproc -> pg_proc.oid
-- pg_database.datdba -> pg_authid.oid
-- pg_database.dattablespace -> pg_tablespace.oid
-- pg_db_role_setting.setdatabase -> pg_database.oid
-- pg_db_role_setting.setrole -> pg_authid.oid
-- pg_default_acl.defaclnamespace -> pg_namespace.oid
-- pg_default_acl.defaclrole -> pg_authid.oid
-- pg_depend.classid -> pg_class.oid
-- pg_depend.refclassid -> pg_class.oid
-- pg_description.classoid -> pg_class.oid
-- pg_enum.enumtypid -> pg_type.oid
-- pg_event_trigger.evtfoid -> pg_proc.oid
-- pg_event_trigger.evtowner -> pg_authid.oid
-- pg_extension.extnamespace -> pg_namespace.oid
-- pg_extension.extowner -> pg_authid.oid
-- pg_foreign_data_wrapper.fdwhandler -> pg_proc.oid
-- pg_foreign_data_wrapper.fdwowner -> pg_authid.oid
-- pg_foreign_data_wrapper.fdwvalidator -> pg_proc.oid
-- pg_foreign_server.srvfdw -> pg_foreign_data_wrapper.oid
-- pg_foreign_server.srvowner -> pg_authid.oid
-- pg_foreign_table.ftrelid -> pg_class.oid
-- pg_foreign_table.ftserver -> pg_foreign_server.oid
-- pg_index.indexrelid -> pg_class.oid
-- pg_index.indrelid -> pg_class.oid
-- pg_inherits.inhparent -> pg_class.oid
-- pg_inherits.inhrelid -> pg_class.oid
-- pg_init_privs.classoid -> pg_class.oid
-- pg_language.laninline -> pg_proc.oid
-- pg_language.lanowner -> pg_authid.oid
-- pg_language.lanplcallfoid -> pg_proc.oid
-- pg_language.lanvalidator -> pg_proc.oid
-- pg_largeobject.loid -> pg_largeobject_metadata.oid
-- pg_largeobject_metadata.lomowner -> pg_authid.oid
-- pg_namespace.nspowner -> pg_authid.oid
-- pg_opclass.opcfamily -> pg_opfamily.oid
-- pg_opclass.opcintype -> pg_type.oid
-- pg_opclass.opckeytype -> pg_type.oid
-- pg_opclass.opcmethod -> pg_am.oid
-- pg_opclass.opcnamespace -> pg_namespace.oid
-- pg_opclass.opcowner -> pg_authid.oid
-- pg_operator.oprcode -> pg_proc.oid
-- pg_operator.oprcom -> pg_operator.oid
-- pg_operator.oprjoin -> pg_proc.oid
-- pg_operator.oprleft -> pg_type.oid
-- pg_operator.oprnamespace -> pg_namespace.oid
-- pg_operator.oprnegate -> pg_operator.oid
-- pg_operator.oprowner -> pg_authid.oid
-- pg_operator.oprrest -> pg_proc.oid
-- pg_operator.oprresult -> pg_type.oid
-- pg_operator.oprright -> pg_type.oid
-- pg_opfamily.opfmethod -> pg_am.oid
-- pg_opfamily.opfnamespace -> pg_namespace.oid
-- pg_opfamily.opfowner -> pg_authid.oid
-- pg_partitioned_table.partdefid -> pg_class.oid
-- pg_partitioned_table.partrelid -> pg_class.oid
-- pg_policy.polrelid -> pg_class.oid
-- pg_proc.prolang -> pg_language.oid
-- pg_proc.pronamespace -> pg_namespace.oid
-- pg_proc.proowner -> pg_authid.oid
-- pg_proc.prorettype -> pg_type.oid
-- pg_proc.prosupport -> pg_proc.oid
-- pg_proc.provariadic -> pg_type.oid
-- pg_publication.pubowner -> pg_authid.oid
-- pg_publication_namespace.pnnspid -> pg_namespace.oid
-- pg_publication_namespace.pnpubid -> pg_publication.oid
-- pg_publication_rel.prpubid -> pg_publication.oid
-- pg_publication_rel.prrelid -> pg_class.oid
-- pg_range.rngcanonical -> pg_proc.oid
-- pg_range.rngcollation -> pg_collation.oid
-- pg_range.rngmultitypid -> pg_type.oid
-- pg_range.rngsubdiff -> pg_proc.oid
-- pg_range.rngsubopc -> pg_opclass.oid
-- pg_range.rngsubtype -> pg_type.oid
-- pg_range.rngtypid -> pg_type.oid
-- pg_rewrite.ev_class -> pg_class.oid
-- pg_seclabel.classoid -> pg_class.oid
-- pg_sequence.seqrelid -> pg_class.oid
-- pg_sequence.seqtypid -> pg_type.oid
-- pg_shdepend.classid -> pg_class.oid
-- pg_shdepend.dbid -> pg_database.oid
-- pg_shdepend.refclassid -> pg_class.oid
-- pg_shdescription.classoid -> pg_class.oid
-- pg_shseclabel.classoid -> pg_class.oid
-- pg_statistic.stacoll1 -> pg_collation.oid
-- pg_statistic.stacoll2 -> pg_collation.oid
-- pg_statistic.stacoll3 -> pg_collation.oid
-- pg_statistic.stacoll4 -> pg_collation.oid
-- pg_statistic.stacoll5 -> pg_collation.oid
-- pg_statistic.staop1 -> pg_operator.oid
-- pg_statistic.staop2 -> pg_operator.oid
-- pg_statistic.staop3 -> pg_operator.oid
-- pg_statistic.staop4 -> pg_operator.oid
-- pg_statistic.staop5 -> pg_operator.oid
-- pg_statistic.starelid -> pg_class.oid
-- pg_statistic_ext.stxnamespace -> pg_namespace.oid
-- pg_statistic_ext.stxowner -> pg_authid.oid
-- pg_statistic_ext.stxrelid -> pg_class.oid
-- pg_statistic_ext_data.stxoid -> pg_statistic_ext.oid
-- pg_subscription.subdbid -> pg_database.oid
-- pg_subscription.subowner -> pg_authid.oid
-- pg_subscription_rel.srrelid -> pg_class.oid
-- pg_subscription_rel.srsubid -> pg_subscription.oid
-- pg_tablespace.spcowner -> pg_authid.oid
-- pg_transform.trffromsql -> pg_proc.oid
-- pg_transform.trflang -> pg_language.oid
-- pg_transform.trftosql -> pg_proc.oid
-- pg_transform.trftype -> pg_type.oid
-- pg_trigger.tgconstraint -> pg_constraint.oid
-- pg_trigger.tgconstrindid -> pg_class.oid
-- pg_trigger.tgconstrrelid -> pg_class.oid
-- pg_trigger.tgfoid -> pg_proc.oid
-- pg_trigger.tgparentid -> pg_trigger.oid
-- pg_trigger.tgrelid -> pg_class.oid
-- pg_ts_config.cfgnamespace -> pg_namespace.oid
-- pg_ts_config.cfgowner -> pg_authid.oid
-- pg_ts_config.cfgparser -> pg_ts_parser.oid
-- pg_ts_config_map.mapcfg -> pg_ts_config.oid
-- pg_ts_config_map.mapdict -> pg_ts_dict.oid
-- pg_ts_dict.dictnamespace -> pg_namespace.oid
-- pg_ts_dict.dictowner -> pg_authid.oid
-- pg_ts_dict.dicttemplate -> pg_ts_template.oid
-- pg_ts_parser.prsend -> pg_proc.oid
-- pg_ts_parser.prsheadline -> pg_proc.oid
-- pg_ts_parser.prslextype -> pg_proc.oid
-- pg_ts_parser.prsnamespace -> pg_namespace.oid
-- pg_ts_parser.prsstart -> pg_proc.oid
-- pg_ts_parser.prstoken -> pg_proc.oid
-- pg_ts_template.tmplinit -> pg_proc.oid
-- pg_ts_template.tmpllexize -> pg_proc.oid
-- pg_ts_template.tmplnamespace -> pg_namespace.oid
-- pg_type.typanalyze -> pg_proc.oid
-- pg_type.typarray -> pg_type.oid
-- pg_type.typbasetype -> pg_type.oid
-- pg_type.typcollation -> pg_collation.oid
-- pg_type.typelem -> pg_type.oid
-- pg_type.typinput -> pg_proc.oid
-- pg_type.typmodin -> pg_proc.oid
-- pg_type.typmodout -> pg_proc.oid
-- pg_type.typnamespace -> pg_namespace.oid
-- pg_type.typoutput -> pg_proc.oid
-- pg_type.typowner -> pg_authid.oid
-- pg_type.typreceive -> pg_proc.oid
-- pg_type.typrelid -> pg_class.oid
-- pg_type.typsend -> pg_proc.oid
-- pg_type.typsubscript -> pg_proc.oid
-- pg_user_mapping.umserver -> pg_foreign_server.oid
-- pg_user_mapping.umuser -> pg_authid.oid
CREATE VIEW pg_catalog.pg_roles AS SELECT pg_authid.rolname,
    pg_authid.rolsuper,
    pg_authid.rolinherit,
    pg_authid.rolcreaterole,
    pg_authid.rolcreatedb,
    pg_authid.rolcanlogin,
    pg_authid.rolreplication,
    pg_authid.rolconnlimit,
    '********'::text AS rolpassword,
    pg_authid.rolvaliduntil,
    pg_authid.rolbypassrls,
    s.setconfig AS rolconfig,
    pg_authid.oid
   FROM (pg_authid
     LEFT JOIN pg_db_role_setting s ON (((pg_authid.oid = s.setrole) AND (s.setdatabase = (0)::oid))));
CREATE VIEW pg_catalog.pg_shadow AS SELECT pg_authid.rolname AS usename,
    pg_authid.oid AS usesysid,
    pg_authid.rolcreatedb AS usecreatedb,
    pg_authid.rolsuper AS usesuper,
    pg_authid.rolreplication AS userepl,
    pg_authid.rolbypassrls AS usebypassrls,
    pg_authid.rolpassword AS passwd,
    pg_authid.rolvaliduntil AS valuntil,
    s.setconfig AS useconfig
   FROM (pg_authid
     LEFT JOIN pg_db_role_setting s ON (((pg_authid.oid = s.setrole) AND (s.setdatabase = (0)::oid))))
  WHERE pg_authid.rolcanlogin;
CREATE VIEW pg_catalog.pg_group AS SELECT pg_authid.rolname AS groname,
    pg_authid.oid AS grosysid,
    ARRAY( SELECT pg_auth_members.member
           FROM pg_auth_members
          WHERE (pg_auth_members.roleid = pg_authid.oid)) AS grolist
   FROM pg_authid
  WHERE (NOT pg_authid.rolcanlogin);
CREATE VIEW pg_catalog.pg_user AS SELECT pg_shadow.usename,
    pg_shadow.usesysid,
    pg_shadow.usecreatedb,
    pg_shadow.usesuper,
    pg_shadow.userepl,
    pg_shadow.usebypassrls,
    '********'::text AS passwd,
    pg_shadow.valuntil,
    pg_shadow.useconfig
   FROM pg_shadow;
CREATE VIEW pg_catalog.pg_policies AS SELECT n.nspname AS schemaname,
    c.relname AS tablename,
    pol.polname AS policyname,
        CASE
            WHEN pol.polpermissive THEN 'PERMISSIVE'::text
            ELSE 'RESTRICTIVE'::text
        END AS permissive,
        CASE
            WHEN (pol.polroles = '{0}'::oid[]) THEN (string_to_array('public'::text, ''::text))::name[]
            ELSE ARRAY( SELECT pg_authid.rolname
               FROM pg_authid
              WHERE (pg_authid.oid = ANY (pol.polroles))
              ORDER BY pg_authid.rolname)
        END AS roles,
        CASE pol.polcmd
            WHEN 'r'::"char" THEN 'SELECT'::text
            WHEN 'a'::"char" THEN 'INSERT'::text
            WHEN 'w'::"char" THEN 'UPDATE'::text
            WHEN 'd'::"char" THEN 'DELETE'::text
            WHEN '*'::"char" THEN 'ALL'::text
            ELSE NULL::text
        END AS cmd,
    pg_get_expr(pol.polqual, pol.polrelid) AS qual,
    pg_get_expr(pol.polwithcheck, pol.polrelid) AS with_check
   FROM ((pg_policy pol
     JOIN pg_class c ON ((c.oid = pol.polrelid)))
     LEFT JOIN pg_namespace n ON ((n.oid = c.relnamespace)));
CREATE VIEW pg_catalog.pg_rules AS SELECT n.nspname AS schemaname,
    c.relname AS tablename,
    r.rulename,
    pg_get_ruledef(r.oid) AS definition
   FROM ((pg_rewrite r
     JOIN pg_class c ON ((c.oid = r.ev_class)))
     LEFT JOIN pg_namespace n ON ((n.oid = c.relnamespace)))
  WHERE (r.rulename <> '_RETURN'::name);
CREATE VIEW pg_catalog.pg_views AS SELECT n.nspname AS schemaname,
    c.relname AS viewname,
    pg_get_userbyid(c.relowner) AS viewowner,
    pg_get_viewdef(c.oid) AS definition
   FROM (pg_class c
     LEFT JOIN pg_namespace n ON ((n.oid = c.relnamespace)))
  WHERE (c.relkind = 'v'::"char");
CREATE VIEW pg_catalog.pg_tables AS SELECT n.nspname AS schemaname,
    c.relname AS tablename,
    pg_get_userbyid(c.relowner) AS tableowner,
    t.spcname AS tablespace,
    c.relhasindex AS hasindexes,
    c.relhasrules AS hasrules,
    c.relhastriggers AS hastriggers,
    c.relrowsecurity AS rowsecurity
   FROM ((pg_class c
     LEFT JOIN pg_namespace n ON ((n.oid = c.relnamespace)))
     LEFT JOIN pg_tablespace t ON ((t.oid = c.reltablespace)))
  WHERE (c.relkind = ANY (ARRAY['r'::"char", 'p'::"char"]));
CREATE VIEW pg_catalog.pg_matviews AS SELECT n.nspname AS schemaname,
    c.relname AS matviewname,
    pg_get_userbyid(c.relowner) AS matviewowner,
    t.spcname AS tablespace,
    c.relhasindex AS hasindexes,
    c.relispopulated AS ispopulated,
    pg_get_viewdef(c.oid) AS definition
   FROM ((pg_class c
     LEFT JOIN pg_namespace n ON ((n.oid = c.relnamespace)))
     LEFT JOIN pg_tablespace t ON ((t.oid = c.reltablespace)))
  WHERE (c.relkind = 'm'::"char");
CREATE VIEW pg_catalog.pg_indexes AS SELECT n.nspname AS schemaname,
    c.relname AS tablename,
    i.relname AS indexname,
    t.spcname AS tablespace,
    pg_get_indexdef(i.oid) AS indexdef
   FROM ((((pg_index x
     JOIN pg_class c ON ((c.oid = x.indrelid)))
     JOIN pg_class i ON ((i.oid = x.indexrelid)))
     LEFT JOIN pg_namespace n ON ((n.oid = c.relnamespace)))
     LEFT JOIN pg_tablespace t ON ((t.oid = i.reltablespace)))
  WHERE ((c.relkind = ANY (ARRAY['r'::"char", 'm'::"char", 'p'::"char"])) AND (i.relkind = ANY (ARRAY['i'::"char", 'I'::"char"])));
CREATE VIEW pg_catalog.pg_sequences AS SELECT n.nspname AS schemaname,
    c.relname AS sequencename,
    pg_get_userbyid(c.relowner) AS sequenceowner,
    (s.seqtypid)::regtype AS data_type,
    s.seqstart AS start_value,
    s.seqmin AS min_value,
    s.seqmax AS max_value,
    s.seqincrement AS increment_by,
    s.seqcycle AS cycle,
    s.seqcache AS cache_size,
        CASE
            WHEN has_sequence_privilege(c.oid, 'SELECT,USAGE'::text) THEN pg_sequence_last_value((c.oid)::regclass)
            ELSE NULL::bigint
        END AS last_value
   FROM ((pg_sequence s
     JOIN pg_class c ON ((c.oid = s.seqrelid)))
     LEFT JOIN pg_namespace n ON ((n.oid = c.relnamespace)))
  WHERE ((NOT pg_is_other_temp_schema(n.oid)) AND (c.relkind = 'S'::"char"));
CREATE VIEW pg_catalog.pg_stats AS SELECT n.nspname AS schemaname,
    c.relname AS tablename,
    a.attname,
    s.stainherit AS inherited,
    s.stanullfrac AS null_frac,
    s.stawidth AS avg_width,
    s.stadistinct AS n_distinct,
        CASE
            WHEN (s.stakind1 = 1) THEN s.stavalues1
            WHEN (s.stakind2 = 1) THEN s.stavalues2
            WHEN (s.stakind3 = 1) THEN s.stavalues3
            WHEN (s.stakind4 = 1) THEN s.stavalues4
            WHEN (s.stakind5 = 1) THEN s.stavalues5
            ELSE NULL::anyarray
        END AS most_common_vals,
        CASE
            WHEN (s.stakind1 = 1) THEN s.stanumbers1
            WHEN (s.stakind2 = 1) THEN s.stanumbers2
            WHEN (s.stakind3 = 1) THEN s.stanumbers3
            WHEN (s.stakind4 = 1) THEN s.stanumbers4
            WHEN (s.stakind5 = 1) THEN s.stanumbers5
            ELSE NULL::real[]
        END AS most_common_freqs,
        CASE
            WHEN (s.stakind1 = 2) THEN s.stavalues1
            WHEN (s.stakind2 = 2) THEN s.stavalues2
            WHEN (s.stakind3 = 2) THEN s.stavalues3
            WHEN (s.stakind4 = 2) THEN s.stavalues4
            WHEN (s.stakind5 = 2) THEN s.stavalues5
            ELSE NULL::anyarray
        END AS histogram_bounds,
        CASE
            WHEN (s.stakind1 = 3) THEN s.stanumbers1[1]
            WHEN (s.stakind2 = 3) THEN s.stanumbers2[1]
            WHEN (s.stakind3 = 3) THEN s.stanumbers3[1]
            WHEN (s.stakind4 = 3) THEN s.stanumbers4[1]
            WHEN (s.stakind5 = 3) THEN s.stanumbers5[1]
            ELSE NULL::real
        END AS correlation,
        CASE
            WHEN (s.stakind1 = 4) THEN s.stavalues1
            WHEN (s.stakind2 = 4) THEN s.stavalues2
            WHEN (s.stakind3 = 4) THEN s.stavalues3
            WHEN (s.stakind4 = 4) THEN s.stavalues4
            WHEN (s.stakind5 = 4) THEN s.stavalues5
            ELSE NULL::anyarray
        END AS most_common_elems,
        CASE
            WHEN (s.stakind1 = 4) THEN s.stanumbers1
            WHEN (s.stakind2 = 4) THEN s.stanumbers2
            WHEN (s.stakind3 = 4) THEN s.stanumbers3
            WHEN (s.stakind4 = 4) THEN s.stanumbers4
            WHEN (s.stakind5 = 4) THEN s.stanumbers5
            ELSE NULL::real[]
        END AS most_common_elem_freqs,
        CASE
            WHEN (s.stakind1 = 5) THEN s.stanumbers1
            WHEN (s.stakind2 = 5) THEN s.stanumbers2
            WHEN (s.stakind3 = 5) THEN s.stanumbers3
            WHEN (s.stakind4 = 5) THEN s.stanumbers4
            WHEN (s.stakind5 = 5) THEN s.stanumbers5
            ELSE NULL::real[]
        END AS elem_count_histogram
   FROM (((pg_statistic s
     JOIN pg_class c ON ((c.oid = s.starelid)))
     JOIN pg_attribute a ON (((c.oid = a.attrelid) AND (a.attnum = s.staattnum))))
     LEFT JOIN pg_namespace n ON ((n.oid = c.relnamespace)))
  WHERE ((NOT a.attisdropped) AND has_column_privilege(c.oid, a.attnum, 'select'::text) AND ((c.relrowsecurity = false) OR (NOT row_security_active(c.oid))));
CREATE VIEW pg_catalog.pg_stats_ext AS SELECT cn.nspname AS schemaname,
    c.relname AS tablename,
    sn.nspname AS statistics_schemaname,
    s.stxname AS statistics_name,
    pg_get_userbyid(s.stxowner) AS statistics_owner,
    ( SELECT array_agg(a.attname ORDER BY a.attnum) AS array_agg
           FROM (unnest(s.stxkeys) k(k)
             JOIN pg_attribute a ON (((a.attrelid = s.stxrelid) AND (a.attnum = k.k))))) AS attnames,
    pg_get_statisticsobjdef_expressions(s.oid) AS exprs,
    s.stxkind AS kinds,
    sd.stxdinherit AS inherited,
    sd.stxdndistinct AS n_distinct,
    sd.stxddependencies AS dependencies,
    m.most_common_vals,
    m.most_common_val_nulls,
    m.most_common_freqs,
    m.most_common_base_freqs
   FROM (((((pg_statistic_ext s
     JOIN pg_class c ON ((c.oid = s.stxrelid)))
     JOIN pg_statistic_ext_data sd ON ((s.oid = sd.stxoid)))
     LEFT JOIN pg_namespace cn ON ((cn.oid = c.relnamespace)))
     LEFT JOIN pg_namespace sn ON ((sn.oid = s.stxnamespace)))
     LEFT JOIN LATERAL ( SELECT array_agg(pg_mcv_list_items."values") AS most_common_vals,
            array_agg(pg_mcv_list_items.nulls) AS most_common_val_nulls,
            array_agg(pg_mcv_list_items.frequency) AS most_common_freqs,
            array_agg(pg_mcv_list_items.base_frequency) AS most_common_base_freqs
           FROM pg_mcv_list_items(sd.stxdmcv) pg_mcv_list_items(index, "values", nulls, frequency, base_frequency)) m ON ((sd.stxdmcv IS NOT NULL)))
  WHERE (pg_has_role(c.relowner, 'USAGE'::text) AND ((c.relrowsecurity = false) OR (NOT row_security_active(c.oid))));
CREATE VIEW pg_catalog.pg_stats_ext_exprs AS SELECT cn.nspname AS schemaname,
    c.relname AS tablename,
    sn.nspname AS statistics_schemaname,
    s.stxname AS statistics_name,
    pg_get_userbyid(s.stxowner) AS statistics_owner,
    stat.expr,
    sd.stxdinherit AS inherited,
    (stat.a).stanullfrac AS null_frac,
    (stat.a).stawidth AS avg_width,
    (stat.a).stadistinct AS n_distinct,
        CASE
            WHEN ((stat.a).stakind1 = 1) THEN (stat.a).stavalues1
            WHEN ((stat.a).stakind2 = 1) THEN (stat.a).stavalues2
            WHEN ((stat.a).stakind3 = 1) THEN (stat.a).stavalues3
            WHEN ((stat.a).stakind4 = 1) THEN (stat.a).stavalues4
            WHEN ((stat.a).stakind5 = 1) THEN (stat.a).stavalues5
            ELSE NULL::anyarray
        END AS most_common_vals,
        CASE
            WHEN ((stat.a).stakind1 = 1) THEN (stat.a).stanumbers1
            WHEN ((stat.a).stakind2 = 1) THEN (stat.a).stanumbers2
            WHEN ((stat.a).stakind3 = 1) THEN (stat.a).stanumbers3
            WHEN ((stat.a).stakind4 = 1) THEN (stat.a).stanumbers4
            WHEN ((stat.a).stakind5 = 1) THEN (stat.a).stanumbers5
            ELSE NULL::real[]
        END AS most_common_freqs,
        CASE
            WHEN ((stat.a).stakind1 = 2) THEN (stat.a).stavalues1
            WHEN ((stat.a).stakind2 = 2) THEN (stat.a).stavalues2
            WHEN ((stat.a).stakind3 = 2) THEN (stat.a).stavalues3
            WHEN ((stat.a).stakind4 = 2) THEN (stat.a).stavalues4
            WHEN ((stat.a).stakind5 = 2) THEN (stat.a).stavalues5
            ELSE NULL::anyarray
        END AS histogram_bounds,
        CASE
            WHEN ((stat.a).stakind1 = 3) THEN (stat.a).stanumbers1[1]
            WHEN ((stat.a).stakind2 = 3) THEN (stat.a).stanumbers2[1]
            WHEN ((stat.a).stakind3 = 3) THEN (stat.a).stanumbers3[1]
            WHEN ((stat.a).stakind4 = 3) THEN (stat.a).stanumbers4[1]
            WHEN ((stat.a).stakind5 = 3) THEN (stat.a).stanumbers5[1]
            ELSE NULL::real
        END AS correlation,
        CASE
            WHEN ((stat.a).stakind1 = 4) THEN (stat.a).stavalues1
            WHEN ((stat.a).stakind2 = 4) THEN (stat.a).stavalues2
            WHEN ((stat.a).stakind3 = 4) THEN (stat.a).stavalues3
            WHEN ((stat.a).stakind4 = 4) THEN (stat.a).stavalues4
            WHEN ((stat.a).stakind5 = 4) THEN (stat.a).stavalues5
            ELSE NULL::anyarray
        END AS most_common_elems,
        CASE
            WHEN ((stat.a).stakind1 = 4) THEN (stat.a).stanumbers1
            WHEN ((stat.a).stakind2 = 4) THEN (stat.a).stanumbers2
            WHEN ((stat.a).stakind3 = 4) THEN (stat.a).stanumbers3
            WHEN ((stat.a).stakind4 = 4) THEN (stat.a).stanumbers4
            WHEN ((stat.a).stakind5 = 4) THEN (stat.a).stanumbers5
            ELSE NULL::real[]
        END AS most_common_elem_freqs,
        CASE
            WHEN ((stat.a).stakind1 = 5) THEN (stat.a).stanumbers1
            WHEN ((stat.a).stakind2 = 5) THEN (stat.a).stanumbers2
            WHEN ((stat.a).stakind3 = 5) THEN (stat.a).stanumbers3
            WHEN ((stat.a).stakind4 = 5) THEN (stat.a).stanumbers4
            WHEN ((stat.a).stakind5 = 5) THEN (stat.a).stanumbers5
            ELSE NULL::real[]
        END AS elem_count_histogram
   FROM (((((pg_statistic_ext s
     JOIN pg_class c ON ((c.oid = s.stxrelid)))
     LEFT JOIN pg_statistic_ext_data sd ON ((s.oid = sd.stxoid)))
     LEFT JOIN pg_namespace cn ON ((cn.oid = c.relnamespace)))
     LEFT JOIN pg_namespace sn ON ((sn.oid = s.stxnamespace)))
     JOIN LATERAL ( SELECT unnest(pg_get_statisticsobjdef_expressions(s.oid)) AS expr,
            unnest(sd.stxdexpr) AS a) stat ON ((stat.expr IS NOT NULL)))
  WHERE (pg_has_role(c.relowner, 'USAGE'::text) AND ((c.relrowsecurity = false) OR (NOT row_security_active(c.oid))));
CREATE VIEW pg_catalog.pg_publication_tables AS SELECT p.pubname,
    n.nspname AS schemaname,
    c.relname AS tablename,
    ( SELECT array_agg(a.attname ORDER BY a.attnum) AS array_agg
           FROM pg_attribute a
          WHERE ((a.attrelid = gpt.relid) AND (a.attnum > 0) AND (NOT a.attisdropped) AND ((a.attnum = ANY ((gpt.attrs)::smallint[])) OR (gpt.attrs IS NULL)))) AS attnames,
    pg_get_expr(gpt.qual, gpt.relid) AS rowfilter
   FROM pg_publication p,
    LATERAL pg_get_publication_tables((p.pubname)::text) gpt(relid, attrs, qual),
    (pg_class c
     JOIN pg_namespace n ON ((n.oid = c.relnamespace)))
  WHERE (c.oid = gpt.relid);
CREATE VIEW pg_catalog.pg_locks AS SELECT l.locktype,
    l.database,
    l.relation,
    l.page,
    l.tuple,
    l.virtualxid,
    l.transactionid,
    l.classid,
    l.objid,
    l.objsubid,
    l.virtualtransaction,
    l.pid,
    l.mode,
    l.granted,
    l.fastpath,
    l.waitstart
   FROM pg_lock_status() l(locktype, database, relation, page, tuple, virtualxid, transactionid, classid, objid, objsubid, virtualtransaction, pid, mode, granted, fastpath, waitstart);
CREATE VIEW pg_catalog.pg_cursors AS SELECT c.name,
    c.statement,
    c.is_holdable,
    c.is_binary,
    c.is_scrollable,
    c.creation_time
   FROM pg_cursor() c(name, statement, is_holdable, is_binary, is_scrollable, creation_time);
CREATE VIEW pg_catalog.pg_available_extensions AS SELECT e.name,
    e.default_version,
    x.extversion AS installed_version,
    e.comment
   FROM (pg_available_extensions() e(name, default_version, comment)
     LEFT JOIN pg_extension x ON ((e.name = x.extname)));
CREATE VIEW pg_catalog.pg_available_extension_versions AS SELECT e.name,
    e.version,
    (x.extname IS NOT NULL) AS installed,
    e.superuser,
    e.trusted,
    e.relocatable,
    e.schema,
    e.requires,
    e.comment
   FROM (pg_available_extension_versions() e(name, version, superuser, trusted, relocatable, schema, requires, comment)
     LEFT JOIN pg_extension x ON (((e.name = x.extname) AND (e.version = x.extversion))));
CREATE VIEW pg_catalog.pg_prepared_xacts AS SELECT p.transaction,
    p.gid,
    p.prepared,
    u.rolname AS owner,
    d.datname AS database
   FROM ((pg_prepared_xact() p(transaction, gid, prepared, ownerid, dbid)
     LEFT JOIN pg_authid u ON ((p.ownerid = u.oid)))
     LEFT JOIN pg_database d ON ((p.dbid = d.oid)));
CREATE VIEW pg_catalog.pg_prepared_statements AS SELECT p.name,
    p.statement,
    p.prepare_time,
    p.parameter_types,
    p.from_sql,
    p.generic_plans,
    p.custom_plans
   FROM pg_prepared_statement() p(name, statement, prepare_time, parameter_types, from_sql, generic_plans, custom_plans);
CREATE VIEW pg_catalog.pg_seclabels AS SELECT l.objoid,
    l.classoid,
    l.objsubid,
        CASE
            WHEN (rel.relkind = ANY (ARRAY['r'::"char", 'p'::"char"])) THEN 'table'::text
            WHEN (rel.relkind = 'v'::"char") THEN 'view'::text
            WHEN (rel.relkind = 'm'::"char") THEN 'materialized view'::text
            WHEN (rel.relkind = 'S'::"char") THEN 'sequence'::text
            WHEN (rel.relkind = 'f'::"char") THEN 'foreign table'::text
            ELSE NULL::text
        END AS objtype,
    rel.relnamespace AS objnamespace,
        CASE
            WHEN pg_table_is_visible(rel.oid) THEN quote_ident((rel.relname)::text)
            ELSE ((quote_ident((nsp.nspname)::text) || '.'::text) || quote_ident((rel.relname)::text))
        END AS objname,
    l.provider,
    l.label
   FROM ((pg_seclabel l
     JOIN pg_class rel ON (((l.classoid = rel.tableoid) AND (l.objoid = rel.oid))))
     JOIN pg_namespace nsp ON ((rel.relnamespace = nsp.oid)))
  WHERE (l.objsubid = 0)
UNION ALL
 SELECT l.objoid,
    l.classoid,
    l.objsubid,
    'column'::text AS objtype,
    rel.relnamespace AS objnamespace,
    ((
        CASE
            WHEN pg_table_is_visible(rel.oid) THEN quote_ident((rel.relname)::text)
            ELSE ((quote_ident((nsp.nspname)::text) || '.'::text) || quote_ident((rel.relname)::text))
        END || '.'::text) || (att.attname)::text) AS objname,
    l.provider,
    l.label
   FROM (((pg_seclabel l
     JOIN pg_class rel ON (((l.classoid = rel.tableoid) AND (l.objoid = rel.oid))))
     JOIN pg_attribute att ON (((rel.oid = att.attrelid) AND (l.objsubid = att.attnum))))
     JOIN pg_namespace nsp ON ((rel.relnamespace = nsp.oid)))
  WHERE (l.objsubid <> 0)
UNION ALL
 SELECT l.objoid,
    l.classoid,
    l.objsubid,
        CASE pro.prokind
            WHEN 'a'::"char" THEN 'aggregate'::text
            WHEN 'f'::"char" THEN 'function'::text
            WHEN 'p'::"char" THEN 'procedure'::text
            WHEN 'w'::"char" THEN 'window'::text
            ELSE NULL::text
        END AS objtype,
    pro.pronamespace AS objnamespace,
    (((
        CASE
            WHEN pg_function_is_visible(pro.oid) THEN quote_ident((pro.proname)::text)
            ELSE ((quote_ident((nsp.nspname)::text) || '.'::text) || quote_ident((pro.proname)::text))
        END || '('::text) || pg_get_function_arguments(pro.oid)) || ')'::text) AS objname,
    l.provider,
    l.label
   FROM ((pg_seclabel l
     JOIN pg_proc pro ON (((l.classoid = pro.tableoid) AND (l.objoid = pro.oid))))
     JOIN pg_namespace nsp ON ((pro.pronamespace = nsp.oid)))
  WHERE (l.objsubid = 0)
UNION ALL
 SELECT l.objoid,
    l.classoid,
    l.objsubid,
        CASE
            WHEN (typ.typtype = 'd'::"char") THEN 'domain'::text
            ELSE 'type'::text
        END AS objtype,
    typ.typnamespace AS objnamespace,
        CASE
            WHEN pg_type_is_visible(typ.oid) THEN quote_ident((typ.typname)::text)
            ELSE ((quote_ident((nsp.nspname)::text) || '.'::text) || quote_ident((typ.typname)::text))
        END AS objname,
    l.provider,
    l.label
   FROM ((pg_seclabel l
     JOIN pg_type typ ON (((l.classoid = typ.tableoid) AND (l.objoid = typ.oid))))
     JOIN pg_namespace nsp ON ((typ.typnamespace = nsp.oid)))
  WHERE (l.objsubid = 0)
UNION ALL
 SELECT l.objoid,
    l.classoid,
    l.objsubid,
    'large object'::text AS objtype,
    NULL::oid AS objnamespace,
    (l.objoid)::text AS objname,
    l.provider,
    l.label
   FROM (pg_seclabel l
     JOIN pg_largeobject_metadata lom ON ((l.objoid = lom.oid)))
  WHERE ((l.classoid = ('pg_largeobject'::regclass)::oid) AND (l.objsubid = 0))
UNION ALL
 SELECT l.objoid,
    l.classoid,
    l.objsubid,
    'language'::text AS objtype,
    NULL::oid AS objnamespace,
    quote_ident((lan.lanname)::text) AS objname,
    l.provider,
    l.label
   FROM (pg_seclabel l
     JOIN pg_language lan ON (((l.classoid = lan.tableoid) AND (l.objoid = lan.oid))))
  WHERE (l.objsubid = 0)
UNION ALL
 SELECT l.objoid,
    l.classoid,
    l.objsubid,
    'schema'::text AS objtype,
    nsp.oid AS objnamespace,
    quote_ident((nsp.nspname)::text) AS objname,
    l.provider,
    l.label
   FROM (pg_seclabel l
     JOIN pg_namespace nsp ON (((l.classoid = nsp.tableoid) AND (l.objoid = nsp.oid))))
  WHERE (l.objsubid = 0)
UNION ALL
 SELECT l.objoid,
    l.classoid,
    l.objsubid,
    'event trigger'::text AS objtype,
    NULL::oid AS objnamespace,
    quote_ident((evt.evtname)::text) AS objname,
    l.provider,
    l.label
   FROM (pg_seclabel l
     JOIN pg_event_trigger evt ON (((l.classoid = evt.tableoid) AND (l.objoid = evt.oid))))
  WHERE (l.objsubid = 0)
UNION ALL
 SELECT l.objoid,
    l.classoid,
    l.objsubid,
    'publication'::text AS objtype,
    NULL::oid AS objnamespace,
    quote_ident((p.pubname)::text) AS objname,
    l.provider,
    l.label
   FROM (pg_seclabel l
     JOIN pg_publication p ON (((l.classoid = p.tableoid) AND (l.objoid = p.oid))))
  WHERE (l.objsubid = 0)
UNION ALL
 SELECT l.objoid,
    l.classoid,
    0 AS objsubid,
    'subscription'::text AS objtype,
    NULL::oid AS objnamespace,
    quote_ident((s.subname)::text) AS objname,
    l.provider,
    l.label
   FROM (pg_shseclabel l
     JOIN pg_subscription s ON (((l.classoid = s.tableoid) AND (l.objoid = s.oid))))
UNION ALL
 SELECT l.objoid,
    l.classoid,
    0 AS objsubid,
    'database'::text AS objtype,
    NULL::oid AS objnamespace,
    quote_ident((dat.datname)::text) AS objname,
    l.provider,
    l.label
   FROM (pg_shseclabel l
     JOIN pg_database dat ON (((l.classoid = dat.tableoid) AND (l.objoid = dat.oid))))
UNION ALL
 SELECT l.objoid,
    l.classoid,
    0 AS objsubid,
    'tablespace'::text AS objtype,
    NULL::oid AS objnamespace,
    quote_ident((spc.spcname)::text) AS objname,
    l.provider,
    l.label
   FROM (pg_shseclabel l
     JOIN pg_tablespace spc ON (((l.classoid = spc.tableoid) AND (l.objoid = spc.oid))))
UNION ALL
 SELECT l.objoid,
    l.classoid,
    0 AS objsubid,
    'role'::text AS objtype,
    NULL::oid AS objnamespace,
    quote_ident((rol.rolname)::text) AS objname,
    l.provider,
    l.label
   FROM (pg_shseclabel l
     JOIN pg_authid rol ON (((l.classoid = rol.tableoid) AND (l.objoid = rol.oid))));
CREATE VIEW pg_catalog.pg_settings AS SELECT a.name,
    a.setting,
    a.unit,
    a.category,
    a.short_desc,
    a.extra_desc,
    a.context,
    a.vartype,
    a.source,
    a.min_val,
    a.max_val,
    a.enumvals,
    a.boot_val,
    a.reset_val,
    a.sourcefile,
    a.sourceline,
    a.pending_restart
   FROM pg_show_all_settings() a(name, setting, unit, category, short_desc, extra_desc, context, vartype, source, min_val, max_val, enumvals, boot_val, reset_val, sourcefile, sourceline, pending_restart);
CREATE VIEW pg_catalog.pg_file_settings AS SELECT a.sourcefile,
    a.sourceline,
    a.seqno,
    a.name,
    a.setting,
    a.applied,
    a.error
   FROM pg_show_all_file_settings() a(sourcefile, sourceline, seqno, name, setting, applied, error);
CREATE VIEW pg_catalog.pg_hba_file_rules AS SELECT a.line_number,
    a.type,
    a.database,
    a.user_name,
    a.address,
    a.netmask,
    a.auth_method,
    a.options,
    a.error
   FROM pg_hba_file_rules() a(line_number, type, database, user_name, address, netmask, auth_method, options, error);
CREATE VIEW pg_catalog.pg_ident_file_mappings AS SELECT a.line_number,
    a.map_name,
    a.sys_name,
    a.pg_username,
    a.error
   FROM pg_ident_file_mappings() a(line_number, map_name, sys_name, pg_username, error);
CREATE VIEW pg_catalog.pg_timezone_abbrevs AS SELECT pg_timezone_abbrevs.abbrev,
    pg_timezone_abbrevs.utc_offset,
    pg_timezone_abbrevs.is_dst
   FROM pg_timezone_abbrevs() pg_timezone_abbrevs(abbrev, utc_offset, is_dst);
CREATE VIEW pg_catalog.pg_timezone_names AS SELECT pg_timezone_names.name,
    pg_timezone_names.abbrev,
    pg_timezone_names.utc_offset,
    pg_timezone_names.is_dst
   FROM pg_timezone_names() pg_timezone_names(name, abbrev, utc_offset, is_dst);
CREATE VIEW pg_catalog.pg_config AS SELECT pg_config.name,
    pg_config.setting
   FROM pg_config() pg_config(name, setting);
CREATE VIEW pg_catalog.pg_shmem_allocations AS SELECT pg_get_shmem_allocations.name,
    pg_get_shmem_allocations.off,
    pg_get_shmem_allocations.size,
    pg_get_shmem_allocations.allocated_size
   FROM pg_get_shmem_allocations() pg_get_shmem_allocations(name, off, size, allocated_size);
CREATE VIEW pg_catalog.pg_backend_memory_contexts AS SELECT pg_get_backend_memory_contexts.name,
    pg_get_backend_memory_contexts.ident,
    pg_get_backend_memory_contexts.parent,
    pg_get_backend_memory_contexts.level,
    pg_get_backend_memory_contexts.total_bytes,
    pg_get_backend_memory_contexts.total_nblocks,
    pg_get_backend_memory_contexts.free_bytes,
    pg_get_backend_memory_contexts.free_chunks,
    pg_get_backend_memory_contexts.used_bytes
   FROM pg_get_backend_memory_contexts() pg_get_backend_memory_contexts(name, ident, parent, level, total_bytes, total_nblocks, free_bytes, free_chunks, used_bytes);
CREATE VIEW pg_catalog.pg_stat_all_tables AS SELECT c.oid AS relid,
    n.nspname AS schemaname,
    c.relname,
    pg_stat_get_numscans(c.oid) AS seq_scan,
    pg_stat_get_tuples_returned(c.oid) AS seq_tup_read,
    (sum(pg_stat_get_numscans(i.indexrelid)))::bigint AS idx_scan,
    ((sum(pg_stat_get_tuples_fetched(i.indexrelid)))::bigint + pg_stat_get_tuples_fetched(c.oid)) AS idx_tup_fetch,
    pg_stat_get_tuples_inserted(c.oid) AS n_tup_ins,
    pg_stat_get_tuples_updated(c.oid) AS n_tup_upd,
    pg_stat_get_tuples_deleted(c.oid) AS n_tup_del,
    pg_stat_get_tuples_hot_updated(c.oid) AS n_tup_hot_upd,
    pg_stat_get_live_tuples(c.oid) AS n_live_tup,
    pg_stat_get_dead_tuples(c.oid) AS n_dead_tup,
    pg_stat_get_mod_since_analyze(c.oid) AS n_mod_since_analyze,
    pg_stat_get_ins_since_vacuum(c.oid) AS n_ins_since_vacuum,
    pg_stat_get_last_vacuum_time(c.oid) AS last_vacuum,
    pg_stat_get_last_autovacuum_time(c.oid) AS last_autovacuum,
    pg_stat_get_last_analyze_time(c.oid) AS last_analyze,
    pg_stat_get_last_autoanalyze_time(c.oid) AS last_autoanalyze,
    pg_stat_get_vacuum_count(c.oid) AS vacuum_count,
    pg_stat_get_autovacuum_count(c.oid) AS autovacuum_count,
    pg_stat_get_analyze_count(c.oid) AS analyze_count,
    pg_stat_get_autoanalyze_count(c.oid) AS autoanalyze_count
   FROM ((pg_class c
     LEFT JOIN pg_index i ON ((c.oid = i.indrelid)))
     LEFT JOIN pg_namespace n ON ((n.oid = c.relnamespace)))
  WHERE (c.relkind = ANY (ARRAY['r'::"char", 't'::"char", 'm'::"char", 'p'::"char"]))
  GROUP BY c.oid, n.nspname, c.relname;
CREATE VIEW pg_catalog.pg_stat_xact_all_tables AS SELECT c.oid AS relid,
    n.nspname AS schemaname,
    c.relname,
    pg_stat_get_xact_numscans(c.oid) AS seq_scan,
    pg_stat_get_xact_tuples_returned(c.oid) AS seq_tup_read,
    (sum(pg_stat_get_xact_numscans(i.indexrelid)))::bigint AS idx_scan,
    ((sum(pg_stat_get_xact_tuples_fetched(i.indexrelid)))::bigint + pg_stat_get_xact_tuples_fetched(c.oid)) AS idx_tup_fetch,
    pg_stat_get_xact_tuples_inserted(c.oid) AS n_tup_ins,
    pg_stat_get_xact_tuples_updated(c.oid) AS n_tup_upd,
    pg_stat_get_xact_tuples_deleted(c.oid) AS n_tup_del,
    pg_stat_get_xact_tuples_hot_updated(c.oid) AS n_tup_hot_upd
   FROM ((pg_class c
     LEFT JOIN pg_index i ON ((c.oid = i.indrelid)))
     LEFT JOIN pg_namespace n ON ((n.oid = c.relnamespace)))
  WHERE (c.relkind = ANY (ARRAY['r'::"char", 't'::"char", 'm'::"char", 'p'::"char"]))
  GROUP BY c.oid, n.nspname, c.relname;
CREATE VIEW pg_catalog.pg_stat_sys_tables AS SELECT pg_stat_all_tables.relid,
    pg_stat_all_tables.schemaname,
    pg_stat_all_tables.relname,
    pg_stat_all_tables.seq_scan,
    pg_stat_all_tables.seq_tup_read,
    pg_stat_all_tables.idx_scan,
    pg_stat_all_tables.idx_tup_fetch,
    pg_stat_all_tables.n_tup_ins,
    pg_stat_all_tables.n_tup_upd,
    pg_stat_all_tables.n_tup_del,
    pg_stat_all_tables.n_tup_hot_upd,
    pg_stat_all_tables.n_live_tup,
    pg_stat_all_tables.n_dead_tup,
    pg_stat_all_tables.n_mod_since_analyze,
    pg_stat_all_tables.n_ins_since_vacuum,
    pg_stat_all_tables.last_vacuum,
    pg_stat_all_tables.last_autovacuum,
    pg_stat_all_tables.last_analyze,
    pg_stat_all_tables.last_autoanalyze,
    pg_stat_all_tables.vacuum_count,
    pg_stat_all_tables.autovacuum_count,
    pg_stat_all_tables.analyze_count,
    pg_stat_all_tables.autoanalyze_count
   FROM pg_stat_all_tables
  WHERE ((pg_stat_all_tables.schemaname = ANY (ARRAY['pg_catalog'::name, 'information_schema'::name])) OR (pg_stat_all_tables.schemaname ~ '^pg_toast'::text));
CREATE VIEW pg_catalog.pg_stat_xact_sys_tables AS SELECT pg_stat_xact_all_tables.relid,
    pg_stat_xact_all_tables.schemaname,
    pg_stat_xact_all_tables.relname,
    pg_stat_xact_all_tables.seq_scan,
    pg_stat_xact_all_tables.seq_tup_read,
    pg_stat_xact_all_tables.idx_scan,
    pg_stat_xact_all_tables.idx_tup_fetch,
    pg_stat_xact_all_tables.n_tup_ins,
    pg_stat_xact_all_tables.n_tup_upd,
    pg_stat_xact_all_tables.n_tup_del,
    pg_stat_xact_all_tables.n_tup_hot_upd
   FROM pg_stat_xact_all_tables
  WHERE ((pg_stat_xact_all_tables.schemaname = ANY (ARRAY['pg_catalog'::name, 'information_schema'::name])) OR (pg_stat_xact_all_tables.schemaname ~ '^pg_toast'::text));
CREATE VIEW pg_catalog.pg_stat_user_tables AS SELECT pg_stat_all_tables.relid,
    pg_stat_all_tables.schemaname,
    pg_stat_all_tables.relname,
    pg_stat_all_tables.seq_scan,
    pg_stat_all_tables.seq_tup_read,
    pg_stat_all_tables.idx_scan,
    pg_stat_all_tables.idx_tup_fetch,
    pg_stat_all_tables.n_tup_ins,
    pg_stat_all_tables.n_tup_upd,
    pg_stat_all_tables.n_tup_del,
    pg_stat_all_tables.n_tup_hot_upd,
    pg_stat_all_tables.n_live_tup,
    pg_stat_all_tables.n_dead_tup,
    pg_stat_all_tables.n_mod_since_analyze,
    pg_stat_all_tables.n_ins_since_vacuum,
    pg_stat_all_tables.last_vacuum,
    pg_stat_all_tables.last_autovacuum,
    pg_stat_all_tables.last_analyze,
    pg_stat_all_tables.last_autoanalyze,
    pg_stat_all_tables.vacuum_count,
    pg_stat_all_tables.autovacuum_count,
    pg_stat_all_tables.analyze_count,
    pg_stat_all_tables.autoanalyze_count
   FROM pg_stat_all_tables
  WHERE ((pg_stat_all_tables.schemaname <> ALL (ARRAY['pg_catalog'::name, 'information_schema'::name])) AND (pg_stat_all_tables.schemaname !~ '^pg_toast'::text));
CREATE VIEW pg_catalog.pg_stat_xact_user_tables AS SELECT pg_stat_xact_all_tables.relid,
    pg_stat_xact_all_tables.schemaname,
    pg_stat_xact_all_tables.relname,
    pg_stat_xact_all_tables.seq_scan,
    pg_stat_xact_all_tables.seq_tup_read,
    pg_stat_xact_all_tables.idx_scan,
    pg_stat_xact_all_tables.idx_tup_fetch,
    pg_stat_xact_all_tables.n_tup_ins,
    pg_stat_xact_all_tables.n_tup_upd,
    pg_stat_xact_all_tables.n_tup_del,
    pg_stat_xact_all_tables.n_tup_hot_upd
   FROM pg_stat_xact_all_tables
  WHERE ((pg_stat_xact_all_tables.schemaname <> ALL (ARRAY['pg_catalog'::name, 'information_schema'::name])) AND (pg_stat_xact_all_tables.schemaname !~ '^pg_toast'::text));
CREATE VIEW pg_catalog.pg_statio_all_tables AS SELECT c.oid AS relid,
    n.nspname AS schemaname,
    c.relname,
    (pg_stat_get_blocks_fetched(c.oid) - pg_stat_get_blocks_hit(c.oid)) AS heap_blks_read,
    pg_stat_get_blocks_hit(c.oid) AS heap_blks_hit,
    i.idx_blks_read,
    i.idx_blks_hit,
    (pg_stat_get_blocks_fetched(t.oid) - pg_stat_get_blocks_hit(t.oid)) AS toast_blks_read,
    pg_stat_get_blocks_hit(t.oid) AS toast_blks_hit,
    x.idx_blks_read AS tidx_blks_read,
    x.idx_blks_hit AS tidx_blks_hit
   FROM ((((pg_class c
     LEFT JOIN pg_class t ON ((c.reltoastrelid = t.oid)))
     LEFT JOIN pg_namespace n ON ((n.oid = c.relnamespace)))
     LEFT JOIN LATERAL ( SELECT (sum((pg_stat_get_blocks_fetched(pg_index.indexrelid) - pg_stat_get_blocks_hit(pg_index.indexrelid))))::bigint AS idx_blks_read,
            (sum(pg_stat_get_blocks_hit(pg_index.indexrelid)))::bigint AS idx_blks_hit
           FROM pg_index
          WHERE (pg_index.indrelid = c.oid)) i ON (true))
     LEFT JOIN LATERAL ( SELECT (sum((pg_stat_get_blocks_fetched(pg_index.indexrelid) - pg_stat_get_blocks_hit(pg_index.indexrelid))))::bigint AS idx_blks_read,
            (sum(pg_stat_get_blocks_hit(pg_index.indexrelid)))::bigint AS idx_blks_hit
           FROM pg_index
          WHERE (pg_index.indrelid = t.oid)) x ON (true))
  WHERE (c.relkind = ANY (ARRAY['r'::"char", 't'::"char", 'm'::"char"]));
CREATE VIEW pg_catalog.pg_statio_sys_tables AS SELECT pg_statio_all_tables.relid,
    pg_statio_all_tables.schemaname,
    pg_statio_all_tables.relname,
    pg_statio_all_tables.heap_blks_read,
    pg_statio_all_tables.heap_blks_hit,
    pg_statio_all_tables.idx_blks_read,
    pg_statio_all_tables.idx_blks_hit,
    pg_statio_all_tables.toast_blks_read,
    pg_statio_all_tables.toast_blks_hit,
    pg_statio_all_tables.tidx_blks_read,
    pg_statio_all_tables.tidx_blks_hit
   FROM pg_statio_all_tables
  WHERE ((pg_statio_all_tables.schemaname = ANY (ARRAY['pg_catalog'::name, 'information_schema'::name])) OR (pg_statio_all_tables.schemaname ~ '^pg_toast'::text));
CREATE VIEW pg_catalog.pg_statio_user_tables AS SELECT pg_statio_all_tables.relid,
    pg_statio_all_tables.schemaname,
    pg_statio_all_tables.relname,
    pg_statio_all_tables.heap_blks_read,
    pg_statio_all_tables.heap_blks_hit,
    pg_statio_all_tables.idx_blks_read,
    pg_statio_all_tables.idx_blks_hit,
    pg_statio_all_tables.toast_blks_read,
    pg_statio_all_tables.toast_blks_hit,
    pg_statio_all_tables.tidx_blks_read,
    pg_statio_all_tables.tidx_blks_hit
   FROM pg_statio_all_tables
  WHERE ((pg_statio_all_tables.schemaname <> ALL (ARRAY['pg_catalog'::name, 'information_schema'::name])) AND (pg_statio_all_tables.schemaname !~ '^pg_toast'::text));
CREATE VIEW pg_catalog.pg_stat_all_indexes AS SELECT c.oid AS relid,
    i.oid AS indexrelid,
    n.nspname AS schemaname,
    c.relname,
    i.relname AS indexrelname,
    pg_stat_get_numscans(i.oid) AS idx_scan,
    pg_stat_get_tuples_returned(i.oid) AS idx_tup_read,
    pg_stat_get_tuples_fetched(i.oid) AS idx_tup_fetch
   FROM (((pg_class c
     JOIN pg_index x ON ((c.oid = x.indrelid)))
     JOIN pg_class i ON ((i.oid = x.indexrelid)))
     LEFT JOIN pg_namespace n ON ((n.oid = c.relnamespace)))
  WHERE (c.relkind = ANY (ARRAY['r'::"char", 't'::"char", 'm'::"char"]));
CREATE VIEW pg_catalog.pg_stat_sys_indexes AS SELECT pg_stat_all_indexes.relid,
    pg_stat_all_indexes.indexrelid,
    pg_stat_all_indexes.schemaname,
    pg_stat_all_indexes.relname,
    pg_stat_all_indexes.indexrelname,
    pg_stat_all_indexes.idx_scan,
    pg_stat_all_indexes.idx_tup_read,
    pg_stat_all_indexes.idx_tup_fetch
   FROM pg_stat_all_indexes
  WHERE ((pg_stat_all_indexes.schemaname = ANY (ARRAY['pg_catalog'::name, 'information_schema'::name])) OR (pg_stat_all_indexes.schemaname ~ '^pg_toast'::text));
CREATE VIEW pg_catalog.pg_stat_user_indexes AS SELECT pg_stat_all_indexes.relid,
    pg_stat_all_indexes.indexrelid,
    pg_stat_all_indexes.schemaname,
    pg_stat_all_indexes.relname,
    pg_stat_all_indexes.indexrelname,
    pg_stat_all_indexes.idx_scan,
    pg_stat_all_indexes.idx_tup_read,
    pg_stat_all_indexes.idx_tup_fetch
   FROM pg_stat_all_indexes
  WHERE ((pg_stat_all_indexes.schemaname <> ALL (ARRAY['pg_catalog'::name, 'information_schema'::name])) AND (pg_stat_all_indexes.schemaname !~ '^pg_toast'::text));
CREATE VIEW pg_catalog.pg_statio_all_indexes AS SELECT c.oid AS relid,
    i.oid AS indexrelid,
    n.nspname AS schemaname,
    c.relname,
    i.relname AS indexrelname,
    (pg_stat_get_blocks_fetched(i.oid) - pg_stat_get_blocks_hit(i.oid)) AS idx_blks_read,
    pg_stat_get_blocks_hit(i.oid) AS idx_blks_hit
   FROM (((pg_class c
     JOIN pg_index x ON ((c.oid = x.indrelid)))
     JOIN pg_class i ON ((i.oid = x.indexrelid)))
     LEFT JOIN pg_namespace n ON ((n.oid = c.relnamespace)))
  WHERE (c.relkind = ANY (ARRAY['r'::"char", 't'::"char", 'm'::"char"]));
CREATE VIEW pg_catalog.pg_statio_sys_indexes AS SELECT pg_statio_all_indexes.relid,
    pg_statio_all_indexes.indexrelid,
    pg_statio_all_indexes.schemaname,
    pg_statio_all_indexes.relname,
    pg_statio_all_indexes.indexrelname,
    pg_statio_all_indexes.idx_blks_read,
    pg_statio_all_indexes.idx_blks_hit
   FROM pg_statio_all_indexes
  WHERE ((pg_statio_all_indexes.schemaname = ANY (ARRAY['pg_catalog'::name, 'information_schema'::name])) OR (pg_statio_all_indexes.schemaname ~ '^pg_toast'::text));
CREATE VIEW pg_catalog.pg_statio_user_indexes AS SELECT pg_statio_all_indexes.relid,
    pg_statio_all_indexes.indexrelid,
    pg_statio_all_indexes.schemaname,
    pg_statio_all_indexes.relname,
    pg_statio_all_indexes.indexrelname,
    pg_statio_all_indexes.idx_blks_read,
    pg_statio_all_indexes.idx_blks_hit
   FROM pg_statio_all_indexes
  WHERE ((pg_statio_all_indexes.schemaname <> ALL (ARRAY['pg_catalog'::name, 'information_schema'::name])) AND (pg_statio_all_indexes.schemaname !~ '^pg_toast'::text));
CREATE VIEW pg_catalog.pg_statio_all_sequences AS SELECT c.oid AS relid,
    n.nspname AS schemaname,
    c.relname,
    (pg_stat_get_blocks_fetched(c.oid) - pg_stat_get_blocks_hit(c.oid)) AS blks_read,
    pg_stat_get_blocks_hit(c.oid) AS blks_hit
   FROM (pg_class c
     LEFT JOIN pg_namespace n ON ((n.oid = c.relnamespace)))
  WHERE (c.relkind = 'S'::"char");
CREATE VIEW pg_catalog.pg_statio_sys_sequences AS SELECT pg_statio_all_sequences.relid,
    pg_statio_all_sequences.schemaname,
    pg_statio_all_sequences.relname,
    pg_statio_all_sequences.blks_read,
    pg_statio_all_sequences.blks_hit
   FROM pg_statio_all_sequences
  WHERE ((pg_statio_all_sequences.schemaname = ANY (ARRAY['pg_catalog'::name, 'information_schema'::name])) OR (pg_statio_all_sequences.schemaname ~ '^pg_toast'::text));
CREATE VIEW pg_catalog.pg_statio_user_sequences AS SELECT pg_statio_all_sequences.relid,
    pg_statio_all_sequences.schemaname,
    pg_statio_all_sequences.relname,
    pg_statio_all_sequences.blks_read,
    pg_statio_all_sequences.blks_hit
   FROM pg_statio_all_sequences
  WHERE ((pg_statio_all_sequences.schemaname <> ALL (ARRAY['pg_catalog'::name, 'information_schema'::name])) AND (pg_statio_all_sequences.schemaname !~ '^pg_toast'::text));
CREATE VIEW pg_catalog.pg_stat_activity AS SELECT s.datid,
    d.datname,
    s.pid,
    s.leader_pid,
    s.usesysid,
    u.rolname AS usename,
    s.application_name,
    s.client_addr,
    s.client_hostname,
    s.client_port,
    s.backend_start,
    s.xact_start,
    s.query_start,
    s.state_change,
    s.wait_event_type,
    s.wait_event,
    s.state,
    s.backend_xid,
    s.backend_xmin,
    s.query_id,
    s.query,
    s.backend_type
   FROM ((pg_stat_get_activity(NULL::integer) s(datid, pid, usesysid, application_name, state, query, wait_event_type, wait_event, xact_start, query_start, backend_start, state_change, client_addr, client_hostname, client_port, backend_xid, backend_xmin, backend_type, ssl, sslversion, sslcipher, sslbits, ssl_client_dn, ssl_client_serial, ssl_issuer_dn, gss_auth, gss_princ, gss_enc, leader_pid, query_id)
     LEFT JOIN pg_database d ON ((s.datid = d.oid)))
     LEFT JOIN pg_authid u ON ((s.usesysid = u.oid)));
CREATE VIEW pg_catalog.pg_stat_replication AS SELECT s.pid,
    s.usesysid,
    u.rolname AS usename,
    s.application_name,
    s.client_addr,
    s.client_hostname,
    s.client_port,
    s.backend_start,
    s.backend_xmin,
    w.state,
    w.sent_lsn,
    w.write_lsn,
    w.flush_lsn,
    w.replay_lsn,
    w.write_lag,
    w.flush_lag,
    w.replay_lag,
    w.sync_priority,
    w.sync_state,
    w.reply_time
   FROM ((pg_stat_get_activity(NULL::integer) s(datid, pid, usesysid, application_name, state, query, wait_event_type, wait_event, xact_start, query_start, backend_start, state_change, client_addr, client_hostname, client_port, backend_xid, backend_xmin, backend_type, ssl, sslversion, sslcipher, sslbits, ssl_client_dn, ssl_client_serial, ssl_issuer_dn, gss_auth, gss_princ, gss_enc, leader_pid, query_id)
     JOIN pg_stat_get_wal_senders() w(pid, state, sent_lsn, write_lsn, flush_lsn, replay_lsn, write_lag, flush_lag, replay_lag, sync_priority, sync_state, reply_time) ON ((s.pid = w.pid)))
     LEFT JOIN pg_authid u ON ((s.usesysid = u.oid)));
CREATE VIEW pg_catalog.pg_stat_slru AS SELECT s.name,
    s.blks_zeroed,
    s.blks_hit,
    s.blks_read,
    s.blks_written,
    s.blks_exists,
    s.flushes,
    s.truncates,
    s.stats_reset
   FROM pg_stat_get_slru() s(name, blks_zeroed, blks_hit, blks_read, blks_written, blks_exists, flushes, truncates, stats_reset);
CREATE VIEW pg_catalog.pg_stat_wal_receiver AS SELECT s.pid,
    s.status,
    s.receive_start_lsn,
    s.receive_start_tli,
    s.written_lsn,
    s.flushed_lsn,
    s.received_tli,
    s.last_msg_send_time,
    s.last_msg_receipt_time,
    s.latest_end_lsn,
    s.latest_end_time,
    s.slot_name,
    s.sender_host,
    s.sender_port,
    s.conninfo
   FROM pg_stat_get_wal_receiver() s(pid, status, receive_start_lsn, receive_start_tli, written_lsn, flushed_lsn, received_tli, last_msg_send_time, last_msg_receipt_time, latest_end_lsn, latest_end_time, slot_name, sender_host, sender_port, conninfo)
  WHERE (s.pid IS NOT NULL);
CREATE VIEW pg_catalog.pg_stat_recovery_prefetch AS SELECT s.stats_reset,
    s.prefetch,
    s.hit,
    s.skip_init,
    s.skip_new,
    s.skip_fpw,
    s.skip_rep,
    s.wal_distance,
    s.block_distance,
    s.io_depth
   FROM pg_stat_get_recovery_prefetch() s(stats_reset, prefetch, hit, skip_init, skip_new, skip_fpw, skip_rep, wal_distance, block_distance, io_depth);
CREATE VIEW pg_catalog.pg_stat_subscription AS SELECT su.oid AS subid,
    su.subname,
    st.pid,
    st.relid,
    st.received_lsn,
    st.last_msg_send_time,
    st.last_msg_receipt_time,
    st.latest_end_lsn,
    st.latest_end_time
   FROM (pg_subscription su
     LEFT JOIN pg_stat_get_subscription(NULL::oid) st(subid, relid, pid, received_lsn, last_msg_send_time, last_msg_receipt_time, latest_end_lsn, latest_end_time) ON ((st.subid = su.oid)));
CREATE VIEW pg_catalog.pg_stat_ssl AS SELECT s.pid,
    s.ssl,
    s.sslversion AS version,
    s.sslcipher AS cipher,
    s.sslbits AS bits,
    s.ssl_client_dn AS client_dn,
    s.ssl_client_serial AS client_serial,
    s.ssl_issuer_dn AS issuer_dn
   FROM pg_stat_get_activity(NULL::integer) s(datid, pid, usesysid, application_name, state, query, wait_event_type, wait_event, xact_start, query_start, backend_start, state_change, client_addr, client_hostname, client_port, backend_xid, backend_xmin, backend_type, ssl, sslversion, sslcipher, sslbits, ssl_client_dn, ssl_client_serial, ssl_issuer_dn, gss_auth, gss_princ, gss_enc, leader_pid, query_id)
  WHERE (s.client_port IS NOT NULL);
CREATE VIEW pg_catalog.pg_stat_gssapi AS SELECT s.pid,
    s.gss_auth AS gss_authenticated,
    s.gss_princ AS principal,
    s.gss_enc AS encrypted
   FROM pg_stat_get_activity(NULL::integer) s(datid, pid, usesysid, application_name, state, query, wait_event_type, wait_event, xact_start, query_start, backend_start, state_change, client_addr, client_hostname, client_port, backend_xid, backend_xmin, backend_type, ssl, sslversion, sslcipher, sslbits, ssl_client_dn, ssl_client_serial, ssl_issuer_dn, gss_auth, gss_princ, gss_enc, leader_pid, query_id)
  WHERE (s.client_port IS NOT NULL);
CREATE VIEW pg_catalog.pg_replication_slots AS SELECT l.slot_name,
    l.plugin,
    l.slot_type,
    l.datoid,
    d.datname AS database,
    l.temporary,
    l.active,
    l.active_pid,
    l.xmin,
    l.catalog_xmin,
    l.restart_lsn,
    l.confirmed_flush_lsn,
    l.wal_status,
    l.safe_wal_size,
    l.two_phase
   FROM (pg_get_replication_slots() l(slot_name, plugin, slot_type, datoid, temporary, active, active_pid, xmin, catalog_xmin, restart_lsn, confirmed_flush_lsn, wal_status, safe_wal_size, two_phase)
     LEFT JOIN pg_database d ON ((l.datoid = d.oid)));
CREATE VIEW pg_catalog.pg_stat_replication_slots AS SELECT s.slot_name,
    s.spill_txns,
    s.spill_count,
    s.spill_bytes,
    s.stream_txns,
    s.stream_count,
    s.stream_bytes,
    s.total_txns,
    s.total_bytes,
    s.stats_reset
   FROM pg_replication_slots r,
    LATERAL pg_stat_get_replication_slot((r.slot_name)::text) s(slot_name, spill_txns, spill_count, spill_bytes, stream_txns, stream_count, stream_bytes, total_txns, total_bytes, stats_reset)
  WHERE (r.datoid IS NOT NULL);
CREATE VIEW pg_catalog.pg_stat_database AS SELECT d.oid AS datid,
    d.datname,
        CASE
            WHEN (d.oid = (0)::oid) THEN 0
            ELSE pg_stat_get_db_numbackends(d.oid)
        END AS numbackends,
    pg_stat_get_db_xact_commit(d.oid) AS xact_commit,
    pg_stat_get_db_xact_rollback(d.oid) AS xact_rollback,
    (pg_stat_get_db_blocks_fetched(d.oid) - pg_stat_get_db_blocks_hit(d.oid)) AS blks_read,
    pg_stat_get_db_blocks_hit(d.oid) AS blks_hit,
    pg_stat_get_db_tuples_returned(d.oid) AS tup_returned,
    pg_stat_get_db_tuples_fetched(d.oid) AS tup_fetched,
    pg_stat_get_db_tuples_inserted(d.oid) AS tup_inserted,
    pg_stat_get_db_tuples_updated(d.oid) AS tup_updated,
    pg_stat_get_db_tuples_deleted(d.oid) AS tup_deleted,
    pg_stat_get_db_conflict_all(d.oid) AS conflicts,
    pg_stat_get_db_temp_files(d.oid) AS temp_files,
    pg_stat_get_db_temp_bytes(d.oid) AS temp_bytes,
    pg_stat_get_db_deadlocks(d.oid) AS deadlocks,
    pg_stat_get_db_checksum_failures(d.oid) AS checksum_failures,
    pg_stat_get_db_checksum_last_failure(d.oid) AS checksum_last_failure,
    pg_stat_get_db_blk_read_time(d.oid) AS blk_read_time,
    pg_stat_get_db_blk_write_time(d.oid) AS blk_write_time,
    pg_stat_get_db_session_time(d.oid) AS session_time,
    pg_stat_get_db_active_time(d.oid) AS active_time,
    pg_stat_get_db_idle_in_transaction_time(d.oid) AS idle_in_transaction_time,
    pg_stat_get_db_sessions(d.oid) AS sessions,
    pg_stat_get_db_sessions_abandoned(d.oid) AS sessions_abandoned,
    pg_stat_get_db_sessions_fatal(d.oid) AS sessions_fatal,
    pg_stat_get_db_sessions_killed(d.oid) AS sessions_killed,
    pg_stat_get_db_stat_reset_time(d.oid) AS stats_reset
   FROM ( SELECT 0 AS oid,
            NULL::name AS datname
        UNION ALL
         SELECT pg_database.oid,
            pg_database.datname
           FROM pg_database) d;
CREATE VIEW pg_catalog.pg_stat_database_conflicts AS SELECT d.oid AS datid,
    d.datname,
    pg_stat_get_db_conflict_tablespace(d.oid) AS confl_tablespace,
    pg_stat_get_db_conflict_lock(d.oid) AS confl_lock,
    pg_stat_get_db_conflict_snapshot(d.oid) AS confl_snapshot,
    pg_stat_get_db_conflict_bufferpin(d.oid) AS confl_bufferpin,
    pg_stat_get_db_conflict_startup_deadlock(d.oid) AS confl_deadlock
   FROM pg_database d;
CREATE VIEW pg_catalog.pg_stat_user_functions AS SELECT p.oid AS funcid,
    n.nspname AS schemaname,
    p.proname AS funcname,
    pg_stat_get_function_calls(p.oid) AS calls,
    pg_stat_get_function_total_time(p.oid) AS total_time,
    pg_stat_get_function_self_time(p.oid) AS self_time
   FROM (pg_proc p
     LEFT JOIN pg_namespace n ON ((n.oid = p.pronamespace)))
  WHERE ((p.prolang <> (12)::oid) AND (pg_stat_get_function_calls(p.oid) IS NOT NULL));
CREATE VIEW pg_catalog.pg_stat_xact_user_functions AS SELECT p.oid AS funcid,
    n.nspname AS schemaname,
    p.proname AS funcname,
    pg_stat_get_xact_function_calls(p.oid) AS calls,
    pg_stat_get_xact_function_total_time(p.oid) AS total_time,
    pg_stat_get_xact_function_self_time(p.oid) AS self_time
   FROM (pg_proc p
     LEFT JOIN pg_namespace n ON ((n.oid = p.pronamespace)))
  WHERE ((p.prolang <> (12)::oid) AND (pg_stat_get_xact_function_calls(p.oid) IS NOT NULL));
CREATE VIEW pg_catalog.pg_stat_archiver AS SELECT s.archived_count,
    s.last_archived_wal,
    s.last_archived_time,
    s.failed_count,
    s.last_failed_wal,
    s.last_failed_time,
    s.stats_reset
   FROM pg_stat_get_archiver() s(archived_count, last_archived_wal, last_archived_time, failed_count, last_failed_wal, last_failed_time, stats_reset);
CREATE VIEW pg_catalog.pg_stat_bgwriter AS SELECT pg_stat_get_bgwriter_timed_checkpoints() AS checkpoints_timed,
    pg_stat_get_bgwriter_requested_checkpoints() AS checkpoints_req,
    pg_stat_get_checkpoint_write_time() AS checkpoint_write_time,
    pg_stat_get_checkpoint_sync_time() AS checkpoint_sync_time,
    pg_stat_get_bgwriter_buf_written_checkpoints() AS buffers_checkpoint,
    pg_stat_get_bgwriter_buf_written_clean() AS buffers_clean,
    pg_stat_get_bgwriter_maxwritten_clean() AS maxwritten_clean,
    pg_stat_get_buf_written_backend() AS buffers_backend,
    pg_stat_get_buf_fsync_backend() AS buffers_backend_fsync,
    pg_stat_get_buf_alloc() AS buffers_alloc,
    pg_stat_get_bgwriter_stat_reset_time() AS stats_reset;
CREATE VIEW pg_catalog.pg_stat_wal AS SELECT w.wal_records,
    w.wal_fpi,
    w.wal_bytes,
    w.wal_buffers_full,
    w.wal_write,
    w.wal_sync,
    w.wal_write_time,
    w.wal_sync_time,
    w.stats_reset
   FROM pg_stat_get_wal() w(wal_records, wal_fpi, wal_bytes, wal_buffers_full, wal_write, wal_sync, wal_write_time, wal_sync_time, stats_reset);
CREATE VIEW pg_catalog.pg_stat_progress_analyze AS SELECT s.pid,
    s.datid,
    d.datname,
    s.relid,
        CASE s.param1
            WHEN 0 THEN 'initializing'::text
            WHEN 1 THEN 'acquiring sample rows'::text
            WHEN 2 THEN 'acquiring inherited sample rows'::text
            WHEN 3 THEN 'computing statistics'::text
            WHEN 4 THEN 'computing extended statistics'::text
            WHEN 5 THEN 'finalizing analyze'::text
            ELSE NULL::text
        END AS phase,
    s.param2 AS sample_blks_total,
    s.param3 AS sample_blks_scanned,
    s.param4 AS ext_stats_total,
    s.param5 AS ext_stats_computed,
    s.param6 AS child_tables_total,
    s.param7 AS child_tables_done,
    (s.param8)::oid AS current_child_table_relid
   FROM (pg_stat_get_progress_info('ANALYZE'::text) s(pid, datid, relid, param1, param2, param3, param4, param5, param6, param7, param8, param9, param10, param11, param12, param13, param14, param15, param16, param17, param18, param19, param20)
     LEFT JOIN pg_database d ON ((s.datid = d.oid)));
CREATE VIEW pg_catalog.pg_stat_progress_vacuum AS SELECT s.pid,
    s.datid,
    d.datname,
    s.relid,
        CASE s.param1
            WHEN 0 THEN 'initializing'::text
            WHEN 1 THEN 'scanning heap'::text
            WHEN 2 THEN 'vacuuming indexes'::text
            WHEN 3 THEN 'vacuuming heap'::text
            WHEN 4 THEN 'cleaning up indexes'::text
            WHEN 5 THEN 'truncating heap'::text
            WHEN 6 THEN 'performing final cleanup'::text
            ELSE NULL::text
        END AS phase,
    s.param2 AS heap_blks_total,
    s.param3 AS heap_blks_scanned,
    s.param4 AS heap_blks_vacuumed,
    s.param5 AS index_vacuum_count,
    s.param6 AS max_dead_tuples,
    s.param7 AS num_dead_tuples
   FROM (pg_stat_get_progress_info('VACUUM'::text) s(pid, datid, relid, param1, param2, param3, param4, param5, param6, param7, param8, param9, param10, param11, param12, param13, param14, param15, param16, param17, param18, param19, param20)
     LEFT JOIN pg_database d ON ((s.datid = d.oid)));
CREATE VIEW pg_catalog.pg_stat_progress_cluster AS SELECT s.pid,
    s.datid,
    d.datname,
    s.relid,
        CASE s.param1
            WHEN 1 THEN 'CLUSTER'::text
            WHEN 2 THEN 'VACUUM FULL'::text
            ELSE NULL::text
        END AS command,
        CASE s.param2
            WHEN 0 THEN 'initializing'::text
            WHEN 1 THEN 'seq scanning heap'::text
            WHEN 2 THEN 'index scanning heap'::text
            WHEN 3 THEN 'sorting tuples'::text
            WHEN 4 THEN 'writing new heap'::text
            WHEN 5 THEN 'swapping relation files'::text
            WHEN 6 THEN 'rebuilding index'::text
            WHEN 7 THEN 'performing final cleanup'::text
            ELSE NULL::text
        END AS phase,
    (s.param3)::oid AS cluster_index_relid,
    s.param4 AS heap_tuples_scanned,
    s.param5 AS heap_tuples_written,
    s.param6 AS heap_blks_total,
    s.param7 AS heap_blks_scanned,
    s.param8 AS index_rebuild_count
   FROM (pg_stat_get_progress_info('CLUSTER'::text) s(pid, datid, relid, param1, param2, param3, param4, param5, param6, param7, param8, param9, param10, param11, param12, param13, param14, param15, param16, param17, param18, param19, param20)
     LEFT JOIN pg_database d ON ((s.datid = d.oid)));
CREATE VIEW pg_catalog.pg_stat_progress_create_index AS SELECT s.pid,
    s.datid,
    d.datname,
    s.relid,
    (s.param7)::oid AS index_relid,
        CASE s.param1
            WHEN 1 THEN 'CREATE INDEX'::text
            WHEN 2 THEN 'CREATE INDEX CONCURRENTLY'::text
            WHEN 3 THEN 'REINDEX'::text
            WHEN 4 THEN 'REINDEX CONCURRENTLY'::text
            ELSE NULL::text
        END AS command,
        CASE s.param10
            WHEN 0 THEN 'initializing'::text
            WHEN 1 THEN 'waiting for writers before build'::text
            WHEN 2 THEN ('building index'::text || COALESCE((': '::text || pg_indexam_progress_phasename((s.param9)::oid, s.param11)), ''::text))
            WHEN 3 THEN 'waiting for writers before validation'::text
            WHEN 4 THEN 'index validation: scanning index'::text
            WHEN 5 THEN 'index validation: sorting tuples'::text
            WHEN 6 THEN 'index validation: scanning table'::text
            WHEN 7 THEN 'waiting for old snapshots'::text
            WHEN 8 THEN 'waiting for readers before marking dead'::text
            WHEN 9 THEN 'waiting for readers before dropping'::text
            ELSE NULL::text
        END AS phase,
    s.param4 AS lockers_total,
    s.param5 AS lockers_done,
    s.param6 AS current_locker_pid,
    s.param16 AS blocks_total,
    s.param17 AS blocks_done,
    s.param12 AS tuples_total,
    s.param13 AS tuples_done,
    s.param14 AS partitions_total,
    s.param15 AS partitions_done
   FROM (pg_stat_get_progress_info('CREATE INDEX'::text) s(pid, datid, relid, param1, param2, param3, param4, param5, param6, param7, param8, param9, param10, param11, param12, param13, param14, param15, param16, param17, param18, param19, param20)
     LEFT JOIN pg_database d ON ((s.datid = d.oid)));
CREATE VIEW pg_catalog.pg_stat_progress_basebackup AS SELECT s.pid,
        CASE s.param1
            WHEN 0 THEN 'initializing'::text
            WHEN 1 THEN 'waiting for checkpoint to finish'::text
            WHEN 2 THEN 'estimating backup size'::text
            WHEN 3 THEN 'streaming database files'::text
            WHEN 4 THEN 'waiting for wal archiving to finish'::text
            WHEN 5 THEN 'transferring wal files'::text
            ELSE NULL::text
        END AS phase,
        CASE s.param2
            WHEN '-1'::integer THEN NULL::bigint
            ELSE s.param2
        END AS backup_total,
    s.param3 AS backup_streamed,
    s.param4 AS tablespaces_total,
    s.param5 AS tablespaces_streamed
   FROM pg_stat_get_progress_info('BASEBACKUP'::text) s(pid, datid, relid, param1, param2, param3, param4, param5, param6, param7, param8, param9, param10, param11, param12, param13, param14, param15, param16, param17, param18, param19, param20);
CREATE VIEW pg_catalog.pg_stat_progress_copy AS SELECT s.pid,
    s.datid,
    d.datname,
    s.relid,
        CASE s.param5
            WHEN 1 THEN 'COPY FROM'::text
            WHEN 2 THEN 'COPY TO'::text
            ELSE NULL::text
        END AS command,
        CASE s.param6
            WHEN 1 THEN 'FILE'::text
            WHEN 2 THEN 'PROGRAM'::text
            WHEN 3 THEN 'PIPE'::text
            WHEN 4 THEN 'CALLBACK'::text
            ELSE NULL::text
        END AS type,
    s.param1 AS bytes_processed,
    s.param2 AS bytes_total,
    s.param3 AS tuples_processed,
    s.param4 AS tuples_excluded
   FROM (pg_stat_get_progress_info('COPY'::text) s(pid, datid, relid, param1, param2, param3, param4, param5, param6, param7, param8, param9, param10, param11, param12, param13, param14, param15, param16, param17, param18, param19, param20)
     LEFT JOIN pg_database d ON ((s.datid = d.oid)));
CREATE VIEW pg_catalog.pg_user_mappings AS SELECT u.oid AS umid,
    s.oid AS srvid,
    s.srvname,
    u.umuser,
        CASE
            WHEN (u.umuser = (0)::oid) THEN 'public'::name
            ELSE a.rolname
        END AS usename,
        CASE
            WHEN (((u.umuser <> (0)::oid) AND (a.rolname = CURRENT_USER) AND (pg_has_role(s.srvowner, 'USAGE'::text) OR has_server_privilege(s.oid, 'USAGE'::text))) OR ((u.umuser = (0)::oid) AND pg_has_role(s.srvowner, 'USAGE'::text)) OR ( SELECT pg_authid.rolsuper
               FROM pg_authid
              WHERE (pg_authid.rolname = CURRENT_USER))) THEN u.umoptions
            ELSE NULL::text[]
        END AS umoptions
   FROM ((pg_user_mapping u
     JOIN pg_foreign_server s ON ((u.umserver = s.oid)))
     LEFT JOIN pg_authid a ON ((a.oid = u.umuser)));
CREATE VIEW pg_catalog.pg_replication_origin_status AS SELECT pg_show_replication_origin_status.local_id,
    pg_show_replication_origin_status.external_id,
    pg_show_replication_origin_status.remote_lsn,
    pg_show_replication_origin_status.local_lsn
   FROM pg_show_replication_origin_status() pg_show_replication_origin_status(local_id, external_id, remote_lsn, local_lsn);
CREATE VIEW pg_catalog.pg_stat_subscription_stats AS SELECT ss.subid,
    s.subname,
    ss.apply_error_count,
    ss.sync_error_count,
    ss.stats_reset
   FROM pg_subscription s,
    LATERAL pg_stat_get_subscription_stats(s.oid) ss(subid, apply_error_count, sync_error_count, stats_reset);
