-- +goose Up
-- The words by which records are found, cut apart and in small letters already: the
-- tokenizer only has to part them at blanks. The next step fills it.
CREATE VIRTUAL TABLE desk_search USING fts5 (id UNINDEXED, title, words, tokenize = 'ascii', detail = 'column', columnsize = 0);

-- +goose Down
DROP TABLE desk_search;
