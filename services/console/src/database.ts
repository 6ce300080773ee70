import type { Generated } from "kysely";

/** Tables of the schema `console`, as the migrations make them; a test compares the two. */
export type ConsoleDatabase = {
  session: SessionTable;
  logout_token: LogoutTokenTable;
  kept_form: KeptFormTable;
};

export type LogoutTokenTable = { token_hash: Buffer; created_at: Generated<Date> };

export type KeptFormTable = {
  form_hash: Buffer;
  person_hash: Buffer;
  sealed: Buffer;
  created_at: Generated<Date>;
};

export type SessionTable = {
  session_hash: Buffer;
  subject: string;
  provider_session: string | null;
  sealed: Buffer;
  authenticated_at: Date;
  access_ends_at: Date;
  created_at: Generated<Date>;
  seen_at: Generated<Date>;
  ends_at: Date;
};
