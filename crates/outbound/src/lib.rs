//! HTTP and mail to destinations that strangers choose.
