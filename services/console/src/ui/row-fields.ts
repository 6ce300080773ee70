import { html, type Html } from "@holdfast/html";
import { selectField } from "./form-fields.ts";
import type { Reader } from "./page-context.ts";

/** One of several rows of a form, by the names of the fields that every row has. */
export type FormRow<Name extends string> = Record<Name, string>;

/** The names of the fields in each row, and of the field with the row's new place, if rows can be moved. */
export type RowNames<Name extends string> = {
  names: readonly Name[];
  place?: string;
  /** Rows without an order are only taken out by their place: to offer all places in each takes the square of their number. */
  isUnordered?: boolean;
};

/**
 * The sent rows in their new order, without empty and removed ones; undefined if this form was not sent. A
 * row that moves up goes before the row whose place it takes, and a row that moves down goes behind it.
 */
export function sentRows<Name extends string>(
  form: URLSearchParams,
  { names, place = "" }: RowNames<Name>,
): FormRow<Name>[] | undefined {
  const columns = names.map((name) => form.getAll(name));
  const places = form.getAll(place);
  const length = Math.max(...columns.map((column) => column.length));
  const rows = Array.from({ length }, (_row, index) => {
    const values = columns.map((column) => column[index]?.trim() ?? "");
    const row = Object.fromEntries(names.map((name, at) => [name, values[at]!])) as FormRow<Name>;
    return { row, values, own: index + 1, place: places[index] ?? `${index + 1}` };
  });
  if (rows.length === 0) return undefined;
  const weight = ({ own, place: to }: { own: number; place: string }) => {
    const wanted = /^\d{1,3}$/.test(to) ? Number(to) : own;
    return wanted * 2 - Math.sign(own - wanted);
  };
  return rows
    .filter((each) => each.place !== "" && each.values.some((value) => value !== ""))
    .toSorted((one, other) => weight(one) - weight(other))
    .map(({ row }) => row);
}

/** The rows with an empty one behind them, each under its number and with a choice of its place. */
export function rowFields<Name extends string>(
  { texts }: Reader,
  rows: readonly FormRow<Name>[],
  { names, place, isUnordered = false }: RowNames<Name>,
  legend: (number: number) => string,
  fieldsOf: (row: FormRow<Name>, index: number) => Html,
): Html {
  const empty = Object.fromEntries(names.map((name) => [name, ""])) as FormRow<Name>;
  const all = [...rows, empty];
  const places = all.map((_row, index) => ({ value: `${index + 1}`, text: `${index + 1}` }));
  return html`${all.map((row, index) => {
    const shown = isUnordered ? [places[index]!] : places;
    const choices = [...shown, ...(index < rows.length ? [{ value: "", text: texts.takeOut }] : [])];
    return html`<fieldset>
      <legend>${legend(index + 1)}${index === rows.length && html` (${texts.newRow})`}</legend>
      <div class="filters">
        ${fieldsOf(row, index)}
        ${
          place !== undefined &&
          selectField({
            name: place,
            id: `${place}-${index}`,
            label: texts.rowPlace,
            choices,
            chosen: `${index + 1}`,
          })
        }
      </div>
    </fieldset>`;
  })}`;
}
