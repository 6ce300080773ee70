/** A statement that takes something from programs of the release before, or holds their writes up. */
export type Contraction = { statement: string; reason: string };

/**
 * The statements of a migration with which pods of the previous release could not run. These pods run during
 * and after the migration until the last one is replaced, and again after a rollback, so a migration may only
 * expand. A contraction comes one release later, when nothing uses the object any more, and says so in the
 * line above the statement:
 *
 * -- contract: nothing has read payment.note since 0.3.0
 * alter table payment drop column note;
 */
export function contractingStatements(sql: string): Contraction[] {
  const made = new Set<string>();
  return statementsOf(sql).flatMap(({ statement, comment }) => {
    const created = /^create (?:unlogged )?(?:table|type|function|view)(?: if not exists)? ([\w.]+)/.exec(
      statement,
    )?.[1];
    if (created) made.add(created);
    const altered = /^(?:alter|drop) \w+(?: if exists)?(?: only)? ([\w.]+)/.exec(statement)?.[1];
    const table = /^create (?:unique )?index .*?\bon (?:only )?([\w.]+)/.exec(statement)?.[1];
    // No release uses the objects of this very migration yet.
    if (made.has(altered ?? table ?? "") || revokesFrom(statement, made)) return [];
    const reason = reasonOf(statement);
    if (!reason || /^--\s*contract: \S.*\S/m.test(comment)) return [];
    return [{ statement: statement.slice(0, 120), reason }];
  });
}

function reasonOf(statement: string): string | undefined {
  const [, actions] = /^alter table (?:if exists )?(?:only )?[\w.]+ (.*)/.exec(statement) ?? [];
  if (actions === undefined) return RULES.find(({ pattern }) => pattern.test(statement))?.reason;
  const each = splitAtCommas(actions);
  const named = (pattern: RegExp) => each.flatMap((action) => pattern.exec(action)?.[1] ?? []);
  const replaced = named(/^drop constraint (?:if exists )?(\w+)/);
  const added = named(/^add column (?:if not exists )?(\w+)/);
  return each.map((action) => reasonOfAction(action, { replaced, added })).find(Boolean);
}

function reasonOfAction(
  action: string,
  { replaced, added }: { replaced: string[]; added: string[] },
): string | undefined {
  if (/^rename\b/.test(action)) return "gives something another name";
  // A constraint that goes refuses nothing.
  if (/^drop (?!constraint)/.test(action)) return "takes a column away";
  if (/^alter .*\b(?:set data )?type\b/.test(action)) return "gives a column another type";
  if (/^alter .*\bset not null\b/.test(action)) return REFUSES;
  if (action.startsWith("add column"))
    return /\bnot null\b/.test(action) && !/\bdefault\b/.test(action) ? REFUSES : undefined;
  const constraint = /^add (?:constraint (\w+)|check|unique|primary|foreign)\b/.exec(action);
  if (!constraint) return undefined;
  // A constraint that replaces another counts as a wider one. One about new columns is safe, since old rows
  // lack them.
  const isHarmless =
    replaced.includes(constraint[1] ?? "") ||
    added.some((column) => new RegExp(`\\b${column}\\b`).test(action));
  return isHarmless ? undefined : REFUSES;
}

const REFUSES = "refuses rows that the release before writes";

/** Rights of functions that this migration has made. */
function revokesFrom(statement: string, made: ReadonlySet<string>): boolean {
  const functions = /^revoke .* on function (.*) from /.exec(statement)?.[1];
  return (
    functions
      ?.replaceAll(/\([^)]*\)/g, "")
      .split(",")
      .every((name) => made.has(name.trim())) ?? false
  );
}

const RULES: { pattern: RegExp; reason: string }[] = [
  // An index that goes costs time, never an answer.
  { pattern: /^drop (?!index)/, reason: "takes something away" },
  { pattern: /^truncate|^delete from/, reason: "deletes rows" },
  { pattern: /^revoke/, reason: "takes a right away" },
  { pattern: /^alter .*\brename\b/, reason: "gives something another name" },
  { pattern: /^alter type .*\bdrop\b/, reason: "takes something away" },
];

/** Commas within parentheses do not count. */
function splitAtCommas(text: string): string[] {
  let depth = 0;
  const parts = [""];
  for (const character of text) {
    if (character === "(") depth++;
    if (character === ")") depth--;
    if (character === "," && depth === 0) parts.push("");
    else parts[parts.length - 1] += character;
  }
  return parts.map((part) => part.trim());
}

/** Statements in lower case and on one line each, bodies of functions left out, each with the comment above it. */
function statementsOf(sql: string): { statement: string; comment: string }[] {
  return sql
    .replaceAll(/\$(\w*)\$[^]*?\$\1\$/g, "$$$$")
    .replaceAll(/--.*$/gm, (comment) => comment.replaceAll(";", ","))
    .replaceAll(/'[^'\n]*'/g, (text) => text.replaceAll(/[;,()]/g, "."))
    .split(";")
    .map((part) => ({
      comment:
        part
          .match(/^\s*--.*$/gm)
          ?.join("\n")
          .replaceAll(/^\s+/gm, "") ?? "",
      statement: part.replaceAll(/--.*$/gm, "").replaceAll(/\s+/g, " ").trim().toLowerCase(),
    }))
    .filter(({ statement }) => statement !== "");
}
