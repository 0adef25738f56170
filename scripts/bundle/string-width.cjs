// Takes the place of string-width in the bundle. Its later versions build an Intl.Segmenter and an emoji table at load, 25
// to 50 ms of each start; the one of CommonJS days is asked for what is not plain ASCII.
'use strict';

module.exports = (text, ...options) =>
  /^[\x20-\x7e]*$/.test(text)
    ? text.length
    : require('../../node_modules/string-width/index.js')(text, ...options);
