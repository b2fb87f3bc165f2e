--
-- PostgreSQL database dump
--

\restrict ZBrQb2XvuX1fBM0vxGmjrkSNyTbNUG7m

-- Dumped from database version 15.18 (Debian 15.18-0+deb12u1)
-- Dumped by pg_dump version 15.18 (Debian 15.18-0+deb12u1)

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

--
-- Name: core; Type: SCHEMA; Schema: -; Owner: postgres
--

CREATE SCHEMA core;


ALTER SCHEMA core OWNER TO postgres;

--
-- Name: mood; Type: TYPE; Schema: core; Owner: postgres
--

CREATE TYPE core.mood AS ENUM (
    'a',
    'b'
);


ALTER TYPE core.mood OWNER TO postgres;

--
-- Name: posint; Type: DOMAIN; Schema: core; Owner: postgres
--

CREATE DOMAIN core.posint AS integer
	CONSTRAINT pos CHECK ((VALUE > 0));


ALTER DOMAIN core.posint OWNER TO postgres;

--
-- Name: lk(integer, text); Type: FUNCTION; Schema: core; Owner: postgres
--

CREATE FUNCTION core.lk(i integer, t text DEFAULT 'x;y'::text) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'core', 'pg_temp'
    AS $$ BEGIN PERFORM pg_advisory_xact_lock(i); RETURN i; END $$;


ALTER FUNCTION core.lk(i integer, t text) OWNER TO postgres;

SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: base; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.base (
    id integer NOT NULL,
    v integer
);


ALTER TABLE public.base OWNER TO postgres;

--
-- Name: at1(integer); Type: FUNCTION; Schema: public; Owner: postgres
--

CREATE FUNCTION public.at1(i integer) RETURNS integer
    LANGUAGE sql
    BEGIN ATOMIC
 SELECT base.id
    FROM public.base
   WHERE (base.id = at1.i);
 SELECT 1;
END;


ALTER FUNCTION public.at1(i integer) OWNER TO postgres;

--
-- Name: pr(); Type: PROCEDURE; Schema: public; Owner: postgres
--

CREATE PROCEDURE public.pr()
    LANGUAGE sql
    AS $$SELECT 1$$;


ALTER PROCEDURE public.pr() OWNER TO postgres;

--
-- Name: tf(); Type: FUNCTION; Schema: public; Owner: postgres
--

CREATE FUNCTION public.tf() RETURNS trigger
    LANGUAGE plpgsql
    AS $$BEGIN RETURN NEW; END$$;


ALTER FUNCTION public.tf() OWNER TO postgres;

--
-- Name: acct; Type: TABLE; Schema: core; Owner: postgres
--

CREATE TABLE core.acct (
    id bigint NOT NULL,
    email text,
    bal integer DEFAULT 0 NOT NULL,
    note text,
    m core.mood,
    CONSTRAINT bal_ok CHECK ((bal >= 0))
);

ALTER TABLE ONLY core.acct REPLICA IDENTITY FULL;


ALTER TABLE core.acct OWNER TO postgres;

--
-- Name: TABLE acct; Type: COMMENT; Schema: core; Owner: postgres
--

COMMENT ON TABLE core.acct IS 'it''s; here';


--
-- Name: acct_id_seq; Type: SEQUENCE; Schema: core; Owner: postgres
--

CREATE SEQUENCE core.acct_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


ALTER TABLE core.acct_id_seq OWNER TO postgres;

--
-- Name: acct_id_seq; Type: SEQUENCE OWNED BY; Schema: core; Owner: postgres
--

ALTER SEQUENCE core.acct_id_seq OWNED BY core.acct.id;


--
-- Name: child; Type: TABLE; Schema: core; Owner: postgres
--

CREATE TABLE core.child (
    id integer NOT NULL,
    acct_id bigint,
    v core.posint,
    dbl integer GENERATED ALWAYS AS (((v)::integer * 2)) STORED
);


ALTER TABLE core.child OWNER TO postgres;

--
-- Name: child_id_seq; Type: SEQUENCE; Schema: core; Owner: postgres
--

ALTER TABLE core.child ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME core.child_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: v; Type: VIEW; Schema: core; Owner: postgres
--

CREATE VIEW core.v AS
 SELECT a.id,
    c.v
   FROM (core.acct a
     JOIN core.child c ON ((c.acct_id = a.id)));


ALTER TABLE core.v OWNER TO postgres;

--
-- Name: counter; Type: SEQUENCE; Schema: public; Owner: postgres
--

CREATE SEQUENCE public.counter
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


ALTER TABLE public.counter OWNER TO postgres;

--
-- Name: ev; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.ev (
    id bigint NOT NULL,
    at date NOT NULL,
    k text
)
PARTITION BY RANGE (at);


ALTER TABLE public.ev OWNER TO postgres;

--
-- Name: ev1; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.ev1 (
    id bigint NOT NULL,
    at date NOT NULL,
    k text
);


ALTER TABLE public.ev1 OWNER TO postgres;

--
-- Name: evd; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.evd (
    id bigint NOT NULL,
    at date NOT NULL,
    k text
);


ALTER TABLE public.evd OWNER TO postgres;

--
-- Name: hp; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.hp (
    id uuid,
    v integer
)
PARTITION BY HASH (id);


ALTER TABLE public.hp OWNER TO postgres;

--
-- Name: hp0; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.hp0 (
    id uuid,
    v integer
);


ALTER TABLE public.hp0 OWNER TO postgres;

--
-- Name: kid; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.kid (
    w integer
)
INHERITS (public.base);


ALTER TABLE public.kid OWNER TO postgres;

--
-- Name: mv; Type: MATERIALIZED VIEW; Schema: public; Owner: postgres
--

CREATE MATERIALIZED VIEW public.mv AS
 SELECT acct.id
   FROM core.acct
  WITH NO DATA;


ALTER TABLE public.mv OWNER TO postgres;

--
-- Name: ev1; Type: TABLE ATTACH; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.ev ATTACH PARTITION public.ev1 FOR VALUES FROM ('2024-01-01') TO ('2024-02-01');


--
-- Name: evd; Type: TABLE ATTACH; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.ev ATTACH PARTITION public.evd DEFAULT;


--
-- Name: hp0; Type: TABLE ATTACH; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.hp ATTACH PARTITION public.hp0 FOR VALUES WITH (modulus 2, remainder 0);


--
-- Name: acct id; Type: DEFAULT; Schema: core; Owner: postgres
--

ALTER TABLE ONLY core.acct ALTER COLUMN id SET DEFAULT nextval('core.acct_id_seq'::regclass);


--
-- Data for Name: acct; Type: TABLE DATA; Schema: core; Owner: postgres
--

COPY core.acct (id, email, bal, note, m) FROM stdin;
1	a'b; c	0	x\ny\\.z	\N
2	\\.	0	\N	\N
3	CREATE TABLE evil();	0	;	\N
\.


--
-- Data for Name: child; Type: TABLE DATA; Schema: core; Owner: postgres
--

COPY core.child (id, acct_id, v) FROM stdin;
\.


--
-- Data for Name: base; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public.base (id, v) FROM stdin;
1	1
\.


--
-- Data for Name: ev1; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public.ev1 (id, at, k) FROM stdin;
\.


--
-- Data for Name: evd; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public.evd (id, at, k) FROM stdin;
\.


--
-- Data for Name: hp0; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public.hp0 (id, v) FROM stdin;
\.


--
-- Data for Name: kid; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public.kid (id, v, w) FROM stdin;
\.


--
-- Name: acct_id_seq; Type: SEQUENCE SET; Schema: core; Owner: postgres
--

SELECT pg_catalog.setval('core.acct_id_seq', 3, true);


--
-- Name: child_id_seq; Type: SEQUENCE SET; Schema: core; Owner: postgres
--

SELECT pg_catalog.setval('core.child_id_seq', 1, false);


--
-- Name: counter; Type: SEQUENCE SET; Schema: public; Owner: postgres
--

SELECT pg_catalog.setval('public.counter', 1, false);


--
-- Name: acct acct_email_key; Type: CONSTRAINT; Schema: core; Owner: postgres
--

ALTER TABLE ONLY core.acct
    ADD CONSTRAINT acct_email_key UNIQUE (email);


--
-- Name: acct acct_pkey; Type: CONSTRAINT; Schema: core; Owner: postgres
--

ALTER TABLE ONLY core.acct
    ADD CONSTRAINT acct_pkey PRIMARY KEY (id);


--
-- Name: child child_pkey; Type: CONSTRAINT; Schema: core; Owner: postgres
--

ALTER TABLE ONLY core.child
    ADD CONSTRAINT child_pkey PRIMARY KEY (id);


--
-- Name: base base_pkey; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.base
    ADD CONSTRAINT base_pkey PRIMARY KEY (id);


--
-- Name: ev ev_pkey; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.ev
    ADD CONSTRAINT ev_pkey PRIMARY KEY (id, at);


--
-- Name: ev1 ev1_pkey; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.ev1
    ADD CONSTRAINT ev1_pkey PRIMARY KEY (id, at);


--
-- Name: evd evd_pkey; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.evd
    ADD CONSTRAINT evd_pkey PRIMARY KEY (id, at);


--
-- Name: child_expr; Type: INDEX; Schema: core; Owner: postgres
--

CREATE INDEX child_expr ON core.child USING btree ((((v)::integer + 1))) INCLUDE (acct_id);


--
-- Name: child_v; Type: INDEX; Schema: core; Owner: postgres
--

CREATE UNIQUE INDEX child_v ON core.child USING btree (v) WHERE ((v)::integer > 3);


--
-- Name: ev1_pkey; Type: INDEX ATTACH; Schema: public; Owner: postgres
--

ALTER INDEX public.ev_pkey ATTACH PARTITION public.ev1_pkey;


--
-- Name: evd_pkey; Type: INDEX ATTACH; Schema: public; Owner: postgres
--

ALTER INDEX public.ev_pkey ATTACH PARTITION public.evd_pkey;


--
-- Name: st; Type: STATISTICS; Schema: public; Owner: postgres
--

CREATE STATISTICS public.st ON id, bal FROM core.acct;


ALTER STATISTICS public.st OWNER TO postgres;

--
-- Name: v ru; Type: RULE; Schema: core; Owner: postgres
--

CREATE RULE ru AS
    ON INSERT TO core.v DO INSTEAD NOTHING;


--
-- Name: child ct; Type: TRIGGER; Schema: core; Owner: postgres
--

CREATE CONSTRAINT TRIGGER ct AFTER INSERT ON core.child DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.tf();


--
-- Name: acct tr; Type: TRIGGER; Schema: core; Owner: postgres
--

CREATE TRIGGER tr BEFORE UPDATE OF bal ON core.acct FOR EACH ROW WHEN ((old.bal <> new.bal)) EXECUTE FUNCTION public.tf('a b');

ALTER TABLE core.acct DISABLE TRIGGER tr;


--
-- Name: child child_acct_id_fkey; Type: FK CONSTRAINT; Schema: core; Owner: postgres
--

ALTER TABLE ONLY core.child
    ADD CONSTRAINT child_acct_id_fkey FOREIGN KEY (acct_id) REFERENCES core.acct(id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED;


--
-- Name: acct; Type: ROW SECURITY; Schema: core; Owner: postgres
--

ALTER TABLE core.acct ENABLE ROW LEVEL SECURITY;

--
-- Name: acct po; Type: POLICY; Schema: core; Owner: postgres
--

CREATE POLICY po ON core.acct FOR SELECT USING ((id IN ( SELECT base.id
   FROM public.base)));


--
-- Name: pub; Type: PUBLICATION; Schema: -; Owner: postgres
--



ALTER PUBLICATION pub OWNER TO postgres;

--
-- Name: pub acct; Type: PUBLICATION TABLE; Schema: core; Owner: postgres
--

ALTER PUBLICATION pub ADD TABLE ONLY core.acct;


--
-- Name: TABLE acct; Type: ACL; Schema: core; Owner: postgres
--

GRANT SELECT ON TABLE core.acct TO PUBLIC;


--
-- PostgreSQL database dump complete
--

\unrestrict ZBrQb2XvuX1fBM0vxGmjrkSNyTbNUG7m

