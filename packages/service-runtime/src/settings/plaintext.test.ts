import { describe, expect, test } from "vitest";
import { z } from "zod";
import { parseConfig, textSetting } from "./config.ts";
import {
  isSafeWebUrl,
  listenerWire,
  natsWire,
  PLAINTEXT_NAMES,
  plaintextSettings,
  postgresWire,
  refusePlaintext,
  unknownPlaintext,
  webWire,
} from "./plaintext.ts";

describe("PostgreSQL is reached over TLS that checks the server, or on this machine", () => {
  test.each([
    "postgres://u:p@db/x?sslmode=verify-full",
    "postgresql://u:p@db:5432/x?sslmode=verify-full&sslrootcert=/ca.pem",
    "postgres://u:p@db/x?sslrootcert=/ca.pem&sslmode=verify-ca",
    "postgres://u:p@localhost/x",
    "postgres://u:p@127.3.2.1:5433/x",
    "postgres://u:p@[::1]/x",
    "postgres://u:p@%2Fvar%2Frun%2Fpostgresql/x",
    "postgres://u:p@localhost/x?host=/var/run/postgresql",
  ])("%s", (url) => {
    expect(postgresWire("DATABASE_URL", url).isSafe).toBe(true);
  });

  test.each([
    "postgres://u:p@db/x",
    ...["disable", "allow", "prefer", "require", "no-verify", "VERIFY-FULL", ""].map(
      (mode) => `postgres://u:p@db/x?sslmode=${mode}`,
    ),
    "postgres://u:p@db/x?ssl=true",
    "postgres://u:p@db/x?sslmode=verify-full&sslmode=disable",
    // The parameter goes before the host.
    "postgres://u:p@localhost/x?host=db",
    "postgres://u:p@localhost.example.com/x",
    "postgres://u:p@127.example.com/x",
    "postgres://u:p@0.0.0.0/x",
    // PGHOST would say which.
    "postgres:///x",
  ])("and not by %s", (url) => {
    expect(postgresWire("DATABASE_URL", url).isSafe).toBe(false);
  });
});

test.each<[string, string | undefined, boolean]>([
  ["tls://nats:4222", undefined, true],
  ["nats://nats:4222", "/ca.pem", true],
  ["nats://127.0.0.1:4222,nats://localhost:4223", undefined, true],
  // The client insists on TLS for all of them.
  ["nats://a:4222,tls://b:4222", undefined, true],
  ["nats://nats:4222", undefined, false],
  ["nats://127.0.0.1:4222,nats://nats:4222", undefined, false],
])("the bus at %s with the authority %s is safe: %s", (NATS_URL, NATS_CA_FILE, isSafe) => {
  expect(natsWire({ NATS_URL, NATS_CA_FILE }).isSafe).toBe(isSafe);
});

test.each([
  ["https://bank.example.com", true],
  ["http://localhost:8083", true],
  ["http://127.1:8083/path", true],
  ["http://0x7f000001/", true],
  ["http://[::1]:8083", true],
  ["http://[::ffff:127.0.0.1]/", true],
  ["http://bank.example.com", false],
  ["HTTP://bank.example.com", false],
  ["http://localhost@bank.example.com", false],
  ["http://localhost.bank.example.com", false],
  ["http://128.0.0.1", false],
  ["http://[::2]", false],
])("%s is safe: %s", (url, isSafe) => {
  expect([isSafeWebUrl(url), webWire("ACQUIRER_URL", "acquirer", url)!.isSafe]).toEqual([isSafe, isSafe]);
});

test("a path is no address, and what is not set is reached by nobody", () => {
  expect(webWire("OPERATOR_JWKS", "operator-jwks", "/etc/jwks.json")!.isSafe).toBe(true);
  expect(webWire("OPERATOR_JWKS", "operator-jwks", undefined)).toBeUndefined();
});

test.each([
  ["0.0.0.0", undefined, false],
  ["::", undefined, false],
  ["10.0.0.7", undefined, false],
  ["127.0.0.1", undefined, true],
  ["0.0.0.0", "/tls.crt", true],
])("a listener on %s with the certificate %s is safe: %s", (host, certFile, isSafe) => {
  expect(listenerWire("MERCHANT_API_PORT", "merchant-api", { port: 0, host, certFile })!.isSafe).toBe(isSafe);
});

describe("ALLOW_PLAINTEXT", () => {
  const schema = z
    .object({ ...plaintextSettings, ACQUIRER_URL: textSetting("must be a URL") })
    .check(refusePlaintext(({ ACQUIRER_URL }) => [webWire("ACQUIRER_URL", "acquirer", ACQUIRER_URL)]));
  const parse = (ALLOW_PLAINTEXT: string) =>
    parseConfig(schema, { ALLOW_PLAINTEXT, ACQUIRER_URL: "http://bank.example.com" });

  test("lets through what it names", () => {
    expect(parse(" postgres, acquirer,").ALLOW_PLAINTEXT).toEqual(new Set(["postgres", "acquirer"]));
    expect(parse(PLAINTEXT_NAMES.join()).ALLOW_PLAINTEXT.size).toBe(PLAINTEXT_NAMES.length);
  });

  test.each(["", "postgres"])("and nothing else: '%s'", (allowed) => {
    expect(() => parse(allowed)).toThrow(
      "the configuration is not valid:\n  ACQUIRER_URL: must be https://, unless ALLOW_PLAINTEXT names acquirer",
    );
  });

  test.each([
    ["aquirer", "; did you mean acquirer?"],
    ["operator_api", "; did you mean operator-api?"],
    ["Postgres", "; did you mean postgres?"],
    ["all", ""],
    ["*", ""],
    ["a-newer-versions-api", ""],
  ])("a name that it does not know allows nothing, and is no reason not to start: %s", (name, meant) => {
    expect(parse(`acquirer,${name}`).ALLOW_PLAINTEXT).toEqual(new Set(["acquirer"]));
    expect(() => parse(name)).toThrow("unless ALLOW_PLAINTEXT names acquirer");
    expect(unknownPlaintext(`acquirer,${name}`)).toEqual([
      `ALLOW_PLAINTEXT names ${name}, which this version does not know${meant}`,
    ]);
  });
});
