// The series that an expression of Prometheus asks for, as far as this repository writes such expressions.

export type Matcher = { label: string; operator: string; value: string };
export type Selector = { metric: string; matchers: Matcher[]; grouped: string[] };

/** Selectors of an expression, each with the labels by which its series are grouped. */
export function selectorsOf(expression: string): Selector[] {
  const groups = groupings(expression);
  const plain = expression
    .replaceAll(MODIFIER, blank)
    .replaceAll(/\[\d+\w+\]|\boffset \w+/g, blank)
    .replaceAll(/(?<![\w:"])(?:and|or|unless|bool)(?![\w:"])/g, blank);
  return [...plain.matchAll(SELECTOR)].map(({ 1: metric = "", 2: braces = "", index }) => ({
    metric,
    matchers: [...braces.matchAll(MATCHER)].map(([, label = "", operator = "", value = ""]) => ({
      label,
      operator,
      value,
    })),
    grouped: groups.filter(({ from, to }) => from <= index && index < to).flatMap(({ labels }) => labels),
  }));
}

const MODIFIER = /\b(?:by|on|ignoring|group_left|without) ?\([^)]*\)/g;
/** A metric's name, which is not a function's, and the content of its braces. */
const SELECTOR = /(?<![\w:"])([a-zA-Z_:][\w:]*)(?![\w:]|\s*\()(?:\{((?:"[^"]*"|[^}"])*)\})?/g;
const MATCHER = /(\w+)\s*(=~|!~|!=|=)\s*"([^"]*)"/g;

/** Keeps all places, since groupings are known by theirs. */
const blank = (text: string) => " ".repeat(text.length);

function groupings(expression: string): { labels: string[]; from: number; to: number }[] {
  return [...expression.matchAll(/\bby ?\(([^)]*)\) ?\(/g)].map(({ 0: found, 1: labels = "", index }) => {
    const from = index + found.length;
    let to = from;
    for (let depth = 1; depth > 0; to++) depth += { "(": 1, ")": -1 }[expression[to]!] ?? 0;
    return { labels: labels.split(",").map((label) => label.trim()), from, to };
  });
}

/** The values of an alternation, each as a pattern: `a(b|c)|d` is `ab`, `ac`, `d`. */
export function alternatives(pattern: string): string[] {
  const group = /^([^(|]*)\(([^()]*)\)([^(|]*)$/.exec(pattern);
  if (!group) return pattern.split("|");
  const [, before = "", inner = "", after = ""] = group;
  return inner.split("|").map((one) => `${before}${one}${after}`);
}
