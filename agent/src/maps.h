#ifndef MAPS_H
#define MAPS_H

/* Calls visit with the device, as MAJOR:MINOR, of every line of /proc/PID/maps that maps a file (proc(5)). */
void parse_maps(const char *text, void (*visit)(const char *device, void *context), void *context);

#endif
