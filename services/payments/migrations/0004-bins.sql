-- The BIN table an operator has imported. Only the owner of the schema writes it, by `npm run import-bins`; the service
-- reads it into memory, and the shipped table counts until there is an import.

create table bin_import (
  version      integer primary key generated always as identity,   -- the highest one counts
  ranges       integer not null check (ranges between 1 and 1000000),
  file_sha256  bytea not null check (octet_length(file_sha256) = 32),
  imported_at  timestamptz not null default now()
);

-- Of the latest import alone: one replaces the other whole, in one transaction.
create table bin_range (
  version           integer not null references bin_import,
  digits            smallint not null check (digits between 6 and 8),
  bin_from          integer not null check (bin_from >= 0),
  bin_to            integer not null check (bin_to >= bin_from and bin_to < 10 ^ digits),
  card_scheme       text not null check (char_length(card_scheme) between 1 and 32),
  card_type         text not null check (card_type in ('CREDIT', 'DEBIT', 'PREPAID')),
  card_sub_type     text check (char_length(card_sub_type) between 1 and 32),
  issuer            text check (char_length(issuer) between 1 and 100),
  country           text not null check (country ~ '^[A-Z]{2}$'),
  loyalty_code      text check (char_length(loyalty_code) between 1 and 32),
  installments_max  smallint not null check (installments_max between 1 and 12),
  primary key (version, digits, bin_from)
);

grant select on bin_import, bin_range to payments_app;
