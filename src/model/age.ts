const units = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
] as const;

/** How long it was from one moment to another, such as `5 min`; both RFC 3339. Empty where a moment is not known. */
export function ageText(from: string, to: string): string {
  const seconds = Math.max(0, Math.round((Date.parse(to) - Date.parse(from)) / 1000));
  if (Number.isNaN(seconds)) return '';
  const unit = units.find(([, length]) => seconds >= 2 * length);
  return unit ? `${Math.floor(seconds / unit[1])} ${unit[0]}` : `${seconds} s`;
}
