CREATE TABLE course (
    slug text PRIMARY KEY,
    title text NOT NULL
);
