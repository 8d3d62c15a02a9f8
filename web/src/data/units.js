// Numbers as people read them.

const prefixes = [
  [1e9, 'G'], [1e6, 'M'], [1e3, 'k'], [1, ''], [1e-3, 'm'], [1e-6, 'µ'], [1e-9, 'n'],
];

/** 0.00321, 'm' to 3.21 mm. */
export function withUnit(value, unit, digits = 3) {
  if (!Number.isFinite(value)) return '–';
  if (value === 0) return unit ? `0 ${unit}` : '0';
  const size = Math.abs(value);
  if (size < 1e-10) return `${scientific(value)}\u202f${unit}`;
  const [factor, prefix] = prefixes.find(([f]) => size >= f * 0.9995) ?? prefixes[prefixes.length - 1];
  return `${trimmed(value / factor, digits)}\u202f${prefix}${unit}`;
}

/** Up to so many digits, without trailing zeros. */
export function trimmed(value, digits = 3) {
  if (value === 0) return '0';
  if (Math.abs(value) >= 10 ** digits) return Math.round(value).toLocaleString('en');
  return String(Number(value.toPrecision(digits)));
}

/** 2.3e-7 as 2.3·10⁻⁷, and plain where that is short. */
export function scientific(value, digits = 2) {
  if (!Number.isFinite(value)) return '–';
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size >= 0.01 && size < 10000) return trimmed(value, digits);
  // Of the rounded number: 9.98 to two digits is 10.
  const exponent = Math.floor(Math.log10(Number(size.toPrecision(digits))));
  const mantissa = trimmed(value / 10 ** exponent, digits);
  const raised = String(exponent).replace('-', '⁻').replace(/\d/g, (d) => '⁰¹²³⁴⁵⁶⁷⁸⁹'[d]);
  return `${mantissa}·10${raised}`;
}

/** Times with as many decimals as a frame needs. */
export function seconds(t, decimals = 2) {
  return `${t.toFixed(decimals)}`;
}
