-- Which operator issued a credential: with it that person could ask in the merchant's name, and so may not decide about
-- what was asked with it. Null in rows that are older than the column, and in those that an older version inserts.

alter table credential add column issued_by text check (char_length(issued_by) between 1 and 200);

grant insert (issued_by) on credential to gateway_operator, gateway_app;
