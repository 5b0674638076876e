// Amounts are whole minor units; how they are written is the table file's and the language's.

export function money(currency, locale = "en") {
  const unit = 10 ** currency.digits;
  const whole = new Intl.NumberFormat(locale, { maximumFractionDigits: 0 });
  const exact = new Intl.NumberFormat(locale, { minimumFractionDigits: currency.digits, maximumFractionDigits: currency.digits });
  const say = (minor) => currency.sign + (minor % unit ? exact : whole).format(minor / unit);
  return {
    say,
    full: (minor) => currency.sign + exact.format(minor / unit),
    signed: (minor) => (minor < 0 ? "\u2212" : minor ? "+" : "\u00b1") + say(Math.abs(minor)),
    range: (min, max) => (max === null ? `${say(min)}+` : min === max ? say(min) : `${say(min)} \u2013 ${say(max)}`),
    // The whole units and what comes after them, for large figures.
    parts: (minor) => {
      const text = exact.format(minor / unit);
      const cut = currency.digits ? text.length - currency.digits - 1 : text.length;
      return [currency.sign + text.slice(0, cut), text.slice(cut)];
    },
  };
}
