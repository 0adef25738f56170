const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** A text as HTML, in an element or in a quoted attribute. */
export const escaped = (text: string) => text.replace(/[&<>"']/g, (letter) => entities[letter] ?? letter);
