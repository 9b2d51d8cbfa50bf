#include <archive.h>
#include <archive_entry.h>

#include "../LoadedLibrary.h"

#define LIBARCHIVE_FUNCTIONS(each) \
  each(archive_entry_filetype) each(archive_entry_hardlink) each(archive_entry_is_data_encrypted) \
  each(archive_entry_mtime) each(archive_entry_mtime_is_set) each(archive_entry_nlink) each(archive_entry_pathname) \
  each(archive_entry_pathname_utf8) each(archive_entry_size) each(archive_error_string) \
  each(archive_read_data_block) each(archive_read_has_encrypted_entries) each(archive_read_free) each(archive_read_header_position) \
  each(archive_read_new) each(archive_read_next_header) each(archive_read_open1) \
  each(archive_read_set_callback_data) each(archive_read_set_format_option) each(archive_read_set_read_callback) \
  each(archive_read_set_seek_callback) each(archive_read_set_skip_callback) \
  each(archive_read_support_format_7zip) each(archive_read_support_format_cpio) \
  each(archive_read_support_format_tar) each(archive_read_support_format_zip)
LOADED_LIBRARY(Libarchive, libarchive_find, LIBARCHIVE_FUNCTIONS)
