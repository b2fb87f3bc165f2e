CREATE TABLE hubs (id bigint PRIMARY KEY, n bigint NOT NULL DEFAULT 0);
CREATE TABLE logs (id bigint PRIMARY KEY, n bigint NOT NULL DEFAULT 0);
