CREATE TABLE orders (id bigint PRIMARY KEY);
CREATE TABLE bills (id bigint PRIMARY KEY);
