// Lets a buyer keep the page of a payment.

/** Writes its time in the buyer's zone, and offers to print. */
export function showReceipt() {
  for (const time of document.querySelectorAll("time.moment")) {
    const written = new Intl.DateTimeFormat(time.dataset.locale, { dateStyle: "long", timeStyle: "short" });
    time.textContent = written.format(Date.parse(time.dateTime));
  }
  const printing = document.querySelector("[data-print]");
  if (!printing) return;
  printing.hidden = false;
  printing.addEventListener("click", () => print());
}
